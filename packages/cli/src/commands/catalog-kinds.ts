/** The kinds of objects in a catalog: which members a file has, and what an absent member means. */
import type { Tallystick } from "@tallystick/client";
import { codesOf, type Definition, type Members, pick, without } from "./definitions.ts";
import { chargesOf, normalizePlan, type PlanRecord, planOf } from "./plan-definitions.ts";

export type Kind = {
  /** Also the name of the folder. */
  name: string;
  read: (tally: Tallystick) => AsyncIterable<object>;
  /** Of a record of the API. */
  toDefinition: (record: never) => Definition;
  /** Leaves out what is as by default. */
  normalize: (definition: Definition) => Definition;
  create: (tally: Tallystick, definition: Definition) => Promise<object>;
  update: (tally: Tallystick, definition: Definition, before: never) => Promise<object>;
};

type Coded = { code: string };
type ApiRecord = Coded & Members;

const ALL = { per_page: 1000 };

const normalizer =
  (defaults: Members) =>
  ({ code, ...members }: Definition): Definition => ({ code, ...without(defaults, members) });

const TAX = { description: null, applied_to_organization: false };
const TAX_MEMBERS = ["name", "rate", ...Object.keys(TAX)];
const taxes: Kind = {
  name: "taxes",
  read: (tally) => tally.taxes.list(ALL),
  toDefinition: ({ code, ...record }: ApiRecord) => ({ code, ...pick(record, TAX_MEMBERS) }),
  normalize: (tax) => normalizer(TAX)({ ...tax, rate: plainDecimal(String(tax.rate)) }),
  create: (tally, tax) => tally.taxes.create({ ...TAX, ...tax } as never),
  update: (tally, tax) => tally.taxes.update(tax.code, { ...TAX, ...tax } as never),
};

/** A rate comes as a number, and is written in a file as it should be read. */
const plainDecimal = (text: string): string =>
  /e/i.test(text) ? Number(text).toFixed(10).replace(/0+$/, "") : text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

const METRIC = { description: null, field_name: null, recurring: false, weighted_interval: null, filters: [] };
const METRIC_MEMBERS = ["name", "aggregation_type", ...Object.keys(METRIC)];
const metrics: Kind = {
  name: "billable_metrics",
  read: (tally) => tally.billableMetrics.list(ALL),
  toDefinition: ({ code, ...record }: ApiRecord) => ({ code, ...pick(record, METRIC_MEMBERS) }),
  normalize: normalizer(METRIC),
  create: (tally, metric) => tally.billableMetrics.create({ ...METRIC, ...metric } as never),
  update: (tally, metric) => tally.billableMetrics.update(metric.code, { ...METRIC, ...metric } as never),
};

const ADD_ON = { invoice_display_name: null, description: null, tax_codes: [] };
const ADD_ON_MEMBERS = ["name", "amount_cents", "amount_currency", "invoice_display_name", "description"];
const addOns: Kind = {
  name: "add_ons",
  read: (tally) => tally.addOns.list(ALL),
  toDefinition: ({ code, taxes: own, ...record }: ApiRecord & { taxes: Coded[] }) => ({
    code,
    ...pick(record, ADD_ON_MEMBERS),
    tax_codes: codesOf(own),
  }),
  normalize: normalizer(ADD_ON),
  create: (tally, addOn) => tally.addOns.create({ ...ADD_ON, ...addOn } as never),
  update: (tally, addOn) => tally.addOns.update(addOn.code, { ...ADD_ON, ...addOn } as never),
};

const plans: Kind = {
  name: "plans",
  read: (tally) => tally.plans.list(ALL),
  toDefinition: planOf,
  normalize: normalizePlan,
  create: (tally, plan) => tally.plans.create(chargesOf(plan, []) as never),
  update: (tally, plan, { charges }: PlanRecord) => tally.plans.update(plan.code, chargesOf(plan, charges) as never),
};

const COUPON = {
  ...{ description: null, amount_cents: null, amount_currency: null, percentage_rate: null },
  ...{ frequency_duration: null, expiration: "no_expiration", expiration_at: null, reusable: true },
  ...{ plan_codes: [], billable_metric_codes: [] },
};
const COUPON_MEMBERS = ["name", "coupon_type", "frequency", ...Object.keys(COUPON)];
const coupons: Kind = {
  name: "coupons",
  read: (tally) => tally.coupons.list(ALL),
  toDefinition: ({ code, ...record }: ApiRecord) => ({ code, ...pick(record, COUPON_MEMBERS) }),
  normalize: normalizer(COUPON),
  create: (tally, coupon) => tally.coupons.create(toCouponBody(coupon) as never),
  update: (tally, coupon) => tally.coupons.update(coupon.code, toCouponBody(coupon) as never),
};

/** At most one of both lists is sent. */
function toCouponBody(coupon: Definition): Members {
  const { plan_codes, billable_metric_codes, ...terms } = { ...COUPON, ...coupon } as Members & typeof COUPON;
  return { ...terms, applies_to: billable_metric_codes.length > 0 ? { billable_metric_codes } : { plan_codes } };
}

/** In an order in which each finds what it names. */
export const KINDS: readonly Kind[] = [taxes, metrics, addOns, plans, coupons];
