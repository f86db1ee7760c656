/** The start of a story: the organization, its products and its customers. */
import { readCents, readRate } from "./amounts.ts";
import { type CouponTerms, couponOf } from "./credits.ts";
import { type Customer, type CustomerTerms, makeCustomer } from "./customer.ts";
import { readDays } from "./moments.ts";
import { type Price, readPrice } from "./prices.ts";
import { type Metric, metricOf, type World } from "./world.ts";

export type OrganizationTerms = {
  currency?: string;
  /** Also the default zone of all moments in the story. */
  timeZone?: string;
  /** A tax on everything without its own tax. */
  vat?: string;
  grace?: string;
  paymentTerm?: string;
  numbering?: "per_customer" | "per_organization";
};

export type MetricTerms = Partial<Record<Exclude<Metric["kind"], "count">, string>> & {
  /** Carried over from period to period. */
  recurring?: true;
  /** Values that charges can price separately: property → values. */
  filters?: Readonly<Record<string, readonly string[]>>;
  called?: string;
};

export type FilterTerms = Price & { where: Readonly<Record<string, readonly string[]>>; called?: string };

export type ChargeTerms = Price & {
  called?: string;
  /** Properties by whose values usage is billed separately. */
  by?: readonly string[];
  filters?: readonly FilterTerms[];
  /** A minimum per period. */
  atLeast?: string;
  prorated?: true;
  /** Each event is billed on arrival. */
  paid?: "in advance";
  /** Its fees are standalone until they are paid; then one invoice regroups them. */
  alone?: true;
  /** Its fees are never on an invoice. */
  invoiced?: false;
  taxes?: readonly string[];
};

type Interval = "weekly" | "monthly" | "quarterly" | "yearly";

export type PlanTerms = Partial<Record<Interval, string>> & {
  called?: string;
  paid?: "in advance";
  /** "10 days" */
  trial?: string;
  metered?: Readonly<Record<string, ChargeTerms>>;
  /** The minimum total of a period. */
  commitment?: string;
  chargesMonthly?: true;
  taxes?: readonly string[];
};

export type Given = {
  organization: (terms: OrganizationTerms) => Promise<void>;
  /** Rate: "20 %". */
  tax: (code: string, rate: string, terms?: { called?: string }) => Promise<void>;
  metric: (code: string, terms: "count" | MetricTerms) => Promise<void>;
  plan: (code: string, terms: PlanTerms) => Promise<void>;
  addOn: (code: string, amount: string, terms?: { called?: string; taxes?: readonly string[] }) => Promise<void>;
  coupon: (code: string, terms: CouponTerms) => Promise<void>;
  /** Created by its first action. */
  customer: (name: string, terms?: CustomerTerms) => Customer;
};

export const makeGiven = (world: World): Given => ({
  organization: (terms) => setUpOrganization(world, terms),
  tax: async (code, rate, { called = named(code) } = {}) => {
    await world.api.ask("POST", "/taxes", { tax: { name: called, code, rate: readRate(rate) } });
  },
  metric: (code, terms) => makeMetric(world, code, terms === "count" ? {} : terms),
  plan: async (code, terms) => {
    await world.api.ask("POST", "/plans", { plan: planOf(world, code, terms) });
  },
  addOn: async (code, amount, { called = named(code), taxes = [] } = {}) => {
    const { currency } = world;
    const terms = { amount_cents: readCents(amount, currency), amount_currency: currency, tax_codes: taxes };
    await world.api.ask("POST", "/add_ons", { add_on: { code, name: called, ...terms } });
  },
  coupon: async (code, terms) => {
    await world.api.ask("POST", "/coupons", { coupon: { code, name: named(code), ...couponOf(world, terms) } });
  },
  customer: (name, terms = {}) => makeCustomer(world, name, terms),
});

/** api_calls → Api calls */
const named = (code: string): string => (code.charAt(0).toUpperCase() + code.slice(1)).replaceAll("_", " ");

async function setUpOrganization(world: World, terms: OrganizationTerms): Promise<void> {
  const { currency = world.currency, timeZone = world.timeZone, vat, grace, paymentTerm, numbering } = terms;
  if (world.clockId !== null) throw new Error("set up the organization before the clock");
  Object.assign(world, { currency, timeZone });
  await world.api.ask("PUT", "/organizations", {
    organization: {
      default_currency: currency,
      timezone: timeZone,
      ...(grace === undefined ? {} : { billing_configuration: { invoice_grace_period: readDays(grace) } }),
      ...(paymentTerm === undefined ? {} : { net_payment_term: readDays(paymentTerm) }),
      ...(numbering === undefined ? {} : { document_numbering: numbering }),
    },
  });
  if (vat === undefined) return;
  const tax = { name: "VAT", code: "vat", rate: readRate(vat), applied_to_organization: true };
  await world.api.ask("POST", "/taxes", { tax });
}

const KINDS = ["sum", "max", "latest", "unique", "weighted"] as const;

const AGGREGATIONS: Readonly<Record<Metric["kind"], string>> = {
  count: "count_agg",
  sum: "sum_agg",
  max: "max_agg",
  latest: "latest_agg",
  unique: "unique_count_agg",
  weighted: "weighted_sum_agg",
};

async function makeMetric({ api, metrics }: World, code: string, terms: MetricTerms): Promise<void> {
  const kind = KINDS.find((one) => terms[one] !== undefined) ?? "count";
  const field = kind === "count" ? "" : (terms[kind] ?? "");
  const { billable_metric } = await api.ask<{ billable_metric: { svc_id: string } }>("POST", "/billable_metrics", {
    billable_metric: {
      code,
      name: terms.called ?? named(code),
      aggregation_type: AGGREGATIONS[kind],
      recurring: terms.recurring === true,
      ...(kind === "count" ? {} : { field_name: field }),
      ...(kind === "weighted" ? { weighted_interval: "seconds" } : {}),
      filters: Object.entries(terms.filters ?? {}).map(([key, values]) => ({ key, values })),
    },
  });
  metrics.set(code, { id: billable_metric.svc_id, kind, field });
}

const INTERVALS = ["weekly", "monthly", "quarterly", "yearly"] as const;

function planOf(world: World, code: string, terms: PlanTerms): object {
  const { currency } = world;
  const interval = INTERVALS.find((one) => terms[one] !== undefined);
  if (interval === undefined) throw new Error(`say what the plan ${code} costs: monthly: "50.00"`);
  const { called = `${named(code)} plan`, paid, trial, metered = {}, commitment, chargesMonthly, taxes = [] } = terms;
  return {
    code,
    name: called,
    interval,
    amount_cents: readCents(terms[interval] ?? "", currency),
    amount_currency: currency,
    pay_in_advance: paid === "in advance",
    tax_codes: taxes,
    ...(trial === undefined ? {} : { trial_period: readDays(trial) }),
    ...(chargesMonthly ? { bill_charges_monthly: true } : {}),
    ...(commitment === undefined ? {} : { minimum_commitment: { amount_cents: readCents(commitment, currency) } }),
    charges: Object.entries(metered).map(([metric, charge]) => chargeOf(world, metric, charge)),
  };
}

export function chargeOf(world: World, metric: string, terms: ChargeTerms): object {
  const { called, by, filters = [], atLeast, prorated, paid, alone, invoiced, taxes = [] } = terms;
  const grouped = by === undefined ? {} : { grouped_by: by };
  const { charge_model, properties } = readPrice(terms);
  return {
    billable_metric_id: metricOf(world, metric).id,
    charge_model,
    properties: { ...properties, ...grouped },
    tax_codes: taxes,
    ...(called === undefined ? {} : { invoice_display_name: called }),
    ...(prorated ? { prorated: true } : {}),
    ...(paid === "in advance" ? { pay_in_advance: true } : {}),
    ...(alone ? { invoiceable: false, regroup_paid_fees: "invoice" } : {}),
    ...(invoiced === false ? { invoiceable: false } : {}),
    ...(atLeast === undefined ? {} : { min_amount_cents: readCents(atLeast, world.currency) }),
    filters: filters.map(({ where, called: name, ...price }) => ({
      values: where,
      properties: { ...readPrice(price as Price).properties, ...grouped },
      ...(name === undefined ? {} : { invoice_display_name: name }),
    })),
  };
}
