/** A plan as it is being edited: every amount is the text of its field, until core reads it. */
import type { BillableMetric, Charge, ChargeProperties, Plan } from "@tallystick/client";
import type { ChargeModel, Members } from "@tallystick/core/catalog";
import { majorText, minorOf } from "../../format/money.ts";

export const INTERVALS = ["weekly", "monthly", "quarterly", "semiannual", "yearly"] as const;
export type Interval = (typeof INTERVALS)[number];

/** When a charge is billed: after the period, or for each event, with or without an invoice. */
export const TIMINGS = ["arrears", "each", "no_invoice", "regroup"] as const;
export type Timing = (typeof TIMINGS)[number];

export type DraftTier = { readonly to: string; readonly each: string; readonly flat: string };

/** Fields of all models, so that a change of the model loses nothing. */
export type DraftPrice = {
  readonly amount: string;
  readonly freeUnits: string;
  readonly packageSize: string;
  readonly rate: string;
  readonly fixedAmount: string;
  readonly freeEvents: string;
  readonly freeTotal: string;
  readonly leastPerEvent: string;
  readonly mostPerEvent: string;
  /** The last one has no end. */
  readonly tiers: readonly DraftTier[];
  /** Event properties, with commas. */
  readonly groupedBy: string;
};

export type DraftFilter = {
  readonly key: string;
  readonly name: string;
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly price: DraftPrice;
};

export type DraftCharge = {
  /** The id of a stored charge. */
  readonly key: string;
  readonly isStored: boolean;
  readonly metricId: string;
  readonly name: string;
  readonly model: ChargeModel;
  readonly timing: Timing;
  readonly isProrated: boolean;
  readonly minimum: string;
  readonly taxes: readonly string[];
  readonly price: DraftPrice;
  readonly filters: readonly DraftFilter[];
};

export type DraftPlan = {
  readonly name: string;
  readonly code: string;
  readonly invoiceName: string;
  readonly description: string;
  readonly interval: Interval;
  readonly currency: string;
  readonly amount: string;
  readonly isPaidInAdvance: boolean;
  readonly areChargesMonthly: boolean;
  readonly trialDays: string;
  readonly commitment: string;
  readonly commitmentName: string;
  readonly taxes: readonly string[];
  readonly charges: readonly DraftCharge[];
};

let made = 0;
/** Of a part that is not stored yet. */
export const newKey = (): string => `new-${++made}`;

export const EMPTY_PRICE: DraftPrice = {
  amount: "",
  freeUnits: "0",
  packageSize: "1000",
  rate: "",
  fixedAmount: "",
  freeEvents: "",
  freeTotal: "",
  leastPerEvent: "",
  mostPerEvent: "",
  tiers: [
    { to: "1000", each: "", flat: "0" },
    { to: "", each: "", flat: "0" },
  ],
  groupedBy: "",
};

export const EMPTY_PLAN: DraftPlan = {
  name: "",
  code: "",
  invoiceName: "",
  description: "",
  interval: "monthly",
  currency: "EUR",
  amount: "0.00",
  isPaidInAdvance: false,
  areChargesMonthly: false,
  trialDays: "",
  commitment: "",
  commitmentName: "",
  taxes: [],
  charges: [],
};

export const newCharge = (metric: BillableMetric | undefined, model: ChargeModel = "standard"): DraftCharge => ({
  key: newKey(),
  isStored: false,
  metricId: metric?.svc_id ?? "",
  name: "",
  model,
  timing: "arrears",
  isProrated: false,
  minimum: "",
  taxes: [],
  price: EMPTY_PRICE,
  filters: [],
});

/** The draft of a plan that exists. */
export function draftOf(plan: Plan): DraftPlan {
  const { amount_currency: currency, minimum_commitment: commitment } = plan;
  return {
    name: plan.name,
    code: plan.code,
    invoiceName: plan.invoice_display_name ?? "",
    description: plan.description ?? "",
    interval: plan.interval,
    currency,
    amount: majorText(plan.amount_cents, currency),
    isPaidInAdvance: plan.pay_in_advance,
    areChargesMonthly: plan.bill_charges_monthly ?? false,
    trialDays: plan.trial_period ? String(plan.trial_period) : "",
    commitment: commitment ? majorText(commitment.amount_cents, currency) : "",
    commitmentName: commitment?.invoice_display_name ?? "",
    taxes: plan.taxes.map(({ code }) => code),
    charges: plan.charges.map((charge) => draftOfCharge(charge, currency)),
  };
}

const draftOfCharge = (charge: Charge, currency: string): DraftCharge => ({
  key: charge.svc_id,
  isStored: true,
  metricId: charge.svc_billable_metric_id,
  name: charge.invoice_display_name ?? "",
  model: charge.charge_model,
  timing: timingOf(charge),
  isProrated: charge.prorated,
  minimum: charge.min_amount_cents ? majorText(charge.min_amount_cents, currency) : "",
  taxes: charge.taxes.map(({ code }) => code),
  price: draftOfPrice(charge.properties),
  filters: charge.filters.map((filter) => ({
    key: filter.svc_id,
    name: filter.invoice_display_name ?? "",
    values: filter.values,
    price: draftOfPrice(filter.properties),
  })),
});

function timingOf({ pay_in_advance, invoiceable, regroup_paid_fees }: Charge): Timing {
  if (!pay_in_advance) return "arrears";
  if (invoiceable) return "each";
  return regroup_paid_fees ? "regroup" : "no_invoice";
}

function draftOfPrice(properties: ChargeProperties): DraftPrice {
  const ranges = properties.graduated_ranges ?? properties.volume_ranges;
  const shares = properties.graduated_percentage_ranges;
  const text = (value: string | number | undefined, empty: string) => (value === undefined ? empty : String(value));
  const tier = (to: number | null, each: string, flat: string) => ({ to: to === null ? "" : String(to), each, flat });
  return {
    amount: properties.amount ?? "",
    freeUnits: text(properties.free_units, EMPTY_PRICE.freeUnits),
    packageSize: text(properties.package_size, EMPTY_PRICE.packageSize),
    rate: properties.rate ?? "",
    fixedAmount: properties.fixed_amount ?? "",
    freeEvents: text(properties.free_units_per_events, ""),
    freeTotal: properties.free_units_per_total_aggregation ?? "",
    leastPerEvent: properties.per_transaction_min_amount ?? "",
    mostPerEvent: properties.per_transaction_max_amount ?? "",
    tiers:
      ranges?.map(({ to_value, per_unit_amount, flat_amount }) => tier(to_value, per_unit_amount, flat_amount)) ??
      shares?.map(({ to_value, rate, flat_amount }) => tier(to_value, rate, flat_amount)) ??
      EMPTY_PRICE.tiers,
    groupedBy: properties.grouped_by?.join(", ") ?? "",
  };
}

/**
 * The plan as the API takes it. What is not a number stays text, so that core and the API find the fault. With a draft of before, an
 * unknown member of a stored charge stays as it is.
 */
export function membersOf(draft: DraftPlan): Members {
  const cents = (text: string) => minorOf(text, draft.currency) ?? text;
  const isLong = draft.interval === "semiannual" || draft.interval === "yearly";
  return {
    name: draft.name.trim(),
    code: draft.code.trim(),
    invoice_display_name: draft.invoiceName.trim() || null,
    description: draft.description.trim() || null,
    interval: draft.interval,
    amount_cents: cents(draft.amount),
    amount_currency: draft.currency,
    pay_in_advance: draft.isPaidInAdvance,
    trial_period: days(draft.trialDays),
    bill_charges_monthly: isLong ? draft.areChargesMonthly : null,
    tax_codes: draft.taxes,
    minimum_commitment: draft.commitment.trim()
      ? { amount_cents: cents(draft.commitment), invoice_display_name: draft.commitmentName.trim() || null }
      : null,
    charges: draft.charges.map((charge) => chargeMembers(charge, cents)),
  };
}

const chargeMembers = (charge: DraftCharge, cents: (text: string) => unknown): Members => ({
  ...(charge.isStored ? { id: charge.key } : {}),
  billable_metric_id: charge.metricId,
  charge_model: charge.model,
  invoice_display_name: charge.name.trim() || null,
  pay_in_advance: charge.timing !== "arrears",
  invoiceable: charge.timing === "arrears" || charge.timing === "each",
  regroup_paid_fees: charge.timing === "regroup" ? "invoice" : null,
  prorated: charge.isProrated,
  min_amount_cents: charge.minimum.trim() && charge.timing === "arrears" ? cents(charge.minimum) : 0,
  tax_codes: charge.taxes,
  properties: propertiesOf(charge.model, charge.price),
  filters: charge.filters.map(({ name, values, price }) => ({
    values,
    invoice_display_name: name.trim() || null,
    properties: propertiesOf(charge.model, price),
  })),
});

function propertiesOf(model: ChargeModel, price: DraftPrice): Members {
  const names = price.groupedBy
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return { ...pricesOf(model, price), ...(names.length > 0 ? { grouped_by: names } : {}) };
}

function pricesOf(model: ChargeModel, price: DraftPrice): Members {
  switch (model) {
    case "standard":
      return { amount: decimal(price.amount) };
    case "package":
      return {
        amount: decimal(price.amount),
        free_units: whole(price.freeUnits),
        package_size: whole(price.packageSize),
      };
    case "percentage":
      return given({
        rate: decimal(price.rate),
        fixed_amount: price.fixedAmount && decimal(price.fixedAmount),
        free_units_per_events: price.freeEvents && whole(price.freeEvents),
        free_units_per_total_aggregation: price.freeTotal && decimal(price.freeTotal),
        per_transaction_min_amount: price.leastPerEvent && decimal(price.leastPerEvent),
        per_transaction_max_amount: price.mostPerEvent && decimal(price.mostPerEvent),
      });
    case "graduated":
      return { graduated_ranges: rangesOf(price.tiers, "per_unit_amount") };
    case "volume":
      return { volume_ranges: rangesOf(price.tiers, "per_unit_amount") };
    case "graduated_percentage":
      return { graduated_percentage_ranges: rangesOf(price.tiers, "rate") };
  }
}

const rangesOf = (tiers: readonly DraftTier[], each: "per_unit_amount" | "rate"): Members[] =>
  tiers.map((tier, index) => {
    const end = whole(tiers[index - 1]?.to ?? "");
    const isLast = index === tiers.length - 1;
    return {
      from_value: typeof end === "number" ? end + 1 : index === 0 ? 0 : end,
      to_value: isLast ? null : whole(tier.to),
      [each]: decimal(tier.each),
      flat_amount: decimal(tier.flat),
    };
  });

const given = ({ rate, ...others }: Members): Members => ({
  rate,
  ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== "")),
});

/** As it was entered: "0.50" stays "0.50". */
const decimal = (text: string): string => text.trim();

const whole = (text: string): number | string => {
  const number = Number(text);
  return /^\d+$/.test(text.trim()) && Number.isSafeInteger(number) ? number : text;
};

/** A number of days is a JSON number of the API, and no amount. */
const days = (text: string): number | string =>
  text.trim() === "" ? 0 : /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
