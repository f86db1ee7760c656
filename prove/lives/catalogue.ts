/** What an organization sells: drawn again for every life. */

import type { Members } from "../served-api.ts";
import type { Interval } from "./days.ts";
import type { Dice } from "./dice.ts";
import { type Currency, drawModel, type Price, toApiPrice } from "./prices.ts";
import { drawTraffic, drawTrafficMetric, type TrafficFilter, type TrafficMetric } from "./traffic.ts";

/** calls: counted within a period. jobs: billed when they come. seats: carried from period to period. traffic: of any kind. */
export type MetricCode = "calls" | "jobs" | "seats" | "traffic";
/** Those that add up values, which the account of a life counts. */
export const SUMS: readonly MetricCode[] = ["calls", "jobs", "seats"];

export type ChargeTerms = Price & {
  readonly metric: MetricCode;
  readonly filters: readonly TrafficFilter[];
  readonly groupedBy: readonly string[];
  readonly taxCodes: readonly string[];
  readonly isInAdvance: boolean;
  readonly isProrated: boolean;
  readonly isInvoiceable: boolean;
  readonly isRegrouped: boolean;
  readonly minimum: number;
};

export type PlanTerms = {
  readonly code: string;
  readonly interval: Interval;
  readonly amount: number;
  readonly isInAdvance: boolean;
  readonly areChargesMonthly: boolean;
  readonly trialDays: number;
  readonly commitment: number;
  readonly charges: readonly ChargeTerms[];
  readonly taxCodes: readonly string[];
};

export type CouponTerms = Members & { readonly code: string };

const CURRENCIES: readonly Currency[] = [
  { code: "EUR", exponent: 2 },
  { code: "EUR", exponent: 2 },
  { code: "EUR", exponent: 2 },
  { code: "JPY", exponent: 0 },
  { code: "KWD", exponent: 3 },
];

export type Setting = {
  readonly currency: Currency;
  readonly start: string;
  readonly zone: string;
  /** Otherwise it is the organization's. */
  readonly hasOwnZone: boolean;
  readonly graceDays: number;
  readonly taxRate: number;
  /** Of the customer, beside the organization's. */
  readonly taxCodes: readonly string[];
  readonly netPaymentTerm: number;
  readonly traffic: TrafficMetric;
  readonly plans: readonly PlanTerms[];
  readonly coupons: readonly CouponTerms[];
};

/** Beside UTC, where midnights are missing or doubled, and where an offset is odd or changes for good. */
const USUAL_ZONES = [
  "UTC",
  "UTC",
  "Europe/Paris",
  "America/New_York",
  "Asia/Tokyo",
  "America/Havana",
  "Africa/Cairo",
  "America/Asuncion",
  "America/Santiago",
  "Asia/Almaty",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Atlantic/Azores",
  "Pacific/Kiritimati",
];
const ALL_ZONES = Intl.supportedValuesOf("timeZone");

/** Every zone of the runtime, and as often one of the usual ones. */
export const ZONES: readonly string[] = [
  ...ALL_ZONES,
  ...ALL_ZONES.map((_, index) => USUAL_ZONES[index % USUAL_ZONES.length] ?? "UTC"),
];
const STARTS = [
  "2024-01-01T00:00:00Z",
  "2024-01-15T10:30:00Z",
  "2024-01-31T10:00:00Z",
  "2024-05-31T09:00:00Z",
  "2024-01-31T23:10:00Z",
  "2024-08-31T11:00:00Z",
  "2023-12-30T18:00:00Z",
  "2023-11-29T12:00:00Z",
  "2024-02-28T20:00:00Z",
  "2024-03-20T05:00:00Z",
  "2024-10-17T08:45:10Z",
  "2024-03-30T22:30:00Z",
  "2023-10-29T00:30:00Z",
];

const INTERVALS: readonly Interval[] = ["weekly", "monthly", "quarterly", "semiannual", "yearly"];

export function drawSetting(dice: Dice): Setting {
  const usual = dice.oneOf<Interval>(["monthly", "monthly", "monthly", "weekly", "quarterly", "semiannual", "yearly"]);
  const currency = dice.oneOf(CURRENCIES);
  const plans = ["bronze", "silver", "gold"].map((code, rank) => drawPlan(dice, { code, usual, rank }));
  const setting = {
    currency,
    start: dice.oneOf(STARTS),
    zone: dice.oneOf(ZONES),
    graceDays: dice.oneOf([0, 0, 0, 3, 10]),
    taxRate: dice.oneOf([0, 0, 20, 5.5]),
    plans,
    coupons: drawCoupons(dice, currency.code),
    hasOwnZone: !dice.isOnceIn(3),
  };
  const withSeats = setting.plans.map((plan) => withSeatsAlone(dice, plan));
  const traffic = drawTrafficMetric(dice);
  return {
    ...setting,
    plans: withSeats.map((plan) => withTraffic(dice, plan, traffic)),
    traffic,
    taxCodes: drawTaxes(dice),
    netPaymentTerm: dice.oneOf([0, 0, 7, 30]),
  };
}

/** Of the customer, a plan or a charge: it takes the place of the organization's tax. */
const drawTaxes = (dice: Dice): string[] => (dice.isOnceIn(5) ? ["city"] : []);

function drawPlan(dice: Dice, { code, usual, rank }: { code: string; usual: Interval; rank: number }): PlanTerms {
  const interval = dice.isOnceIn(4) ? dice.oneOf(INTERVALS) : usual;
  const size = { weekly: 1, monthly: 4, quarterly: 13, semiannual: 26, yearly: 52 }[interval];
  const amount = dice.isOnceIn(10) ? 0 : size * (200 + 150 * rank + dice.below(400)) + dice.below(100);
  const charges = [
    ...(dice.isOnceIn(3) ? [] : [drawCalls(dice)]),
    ...(dice.isOnceIn(2) ? [] : [drawJobs(dice)]),
    ...(dice.isOnceIn(3) ? [] : [drawSeats(dice)]),
  ];
  return {
    code,
    interval,
    amount,
    isInAdvance: dice.isOnceIn(2),
    areChargesMonthly: ["semiannual", "yearly"].includes(interval) && dice.isOnceIn(2),
    trialDays: dice.isOnceIn(6) ? dice.between(1, 20) : 0,
    commitment: dice.isOnceIn(5) ? amount + dice.between(100, 9000) : 0,
    charges,
    taxCodes: [],
  };
}

const PLAIN = {
  model: "standard",
  filters: [],
  groupedBy: [],
  taxCodes: [],
  isInAdvance: false,
  isProrated: false,
  isInvoiceable: true,
  isRegrouped: false,
  minimum: 0,
} as const;

const drawCalls = (dice: Dice): ChargeTerms => ({
  ...PLAIN,
  metric: "calls",
  price: dice.oneOf(["10", "100", "33.3", "7.25"]),
  minimum: dice.isOnceIn(5) ? dice.between(100, 3000) : 0,
});

/** Whole cents: every fee is exact, and so is their sum. */
function drawJobs(dice: Dice): ChargeTerms {
  const isInvoiceable = dice.isOnceIn(2);
  const isRegrouped = !isInvoiceable && dice.isOnceIn(2);
  return { ...PLAIN, metric: "jobs", price: dice.oneOf(["100", "250"]), isInAdvance: true, isInvoiceable, isRegrouped };
}

const drawSeats = (dice: Dice): ChargeTerms => ({
  ...PLAIN,
  metric: "seats",
  price: dice.oneOf(["1000", "3100", "700"]),
  isInAdvance: dice.isOnceIn(2),
  isProrated: dice.isOnceIn(2),
});

/** Seats that are paid in advance may be on no invoice. Drawn last, so that all else is as it would be without them. */
function withSeatsAlone(dice: Dice, plan: PlanTerms): PlanTerms {
  const [isAlone, isRegrouped] = [dice.isOnceIn(3), dice.isOnceIn(2)];
  const charges = plan.charges.map((charge) =>
    charge.metric === "seats" && charge.isInAdvance && isAlone
      ? { ...charge, isInvoiceable: false, isRegrouped }
      : charge,
  );
  return { ...plan, charges };
}

/** Every model of price, taxes of a plan's own, and a charge on traffic. Drawn last, as seats on no invoice are. */
function withTraffic(dice: Dice, plan: PlanTerms, metric: TrafficMetric): PlanTerms {
  const priced = plan.charges.map((charge) =>
    charge.metric === "calls" ? { ...charge, model: drawModel(dice) } : charge,
  );
  const traffic: ChargeTerms = { ...PLAIN, metric: "traffic", ...drawTraffic(dice, metric), taxCodes: drawTaxes(dice) };
  const charges = dice.isOnceIn(2) ? priced : [...priced, traffic];
  return { ...plan, charges, taxCodes: drawTaxes(dice) };
}

const percentage = (percentage_rate: string) => ({ coupon_type: "percentage", percentage_rate });
const recurring = (frequency_duration: number) => ({ frequency: "recurring", frequency_duration });

function drawCoupons(dice: Dice, amount_currency: string): CouponTerms[] {
  const fixed = (amount_cents: number) => ({ coupon_type: "fixed_amount", amount_cents, amount_currency });
  return [
    { code: "once", ...fixed(dice.between(100, 9000)), frequency: "once" },
    { code: "half", ...percentage(dice.oneOf(["50", "100", "33.333"])), frequency: "once" },
    { code: "thrice", ...percentage("12.5"), ...recurring(3) },
    { code: "twice", ...fixed(dice.between(100, 2000)), ...recurring(2) },
    { code: "always", ...fixed(111), frequency: "forever", reusable: false },
    { code: "of-gold", ...fixed(1500), ...recurring(2), applies_to: { plan_codes: ["gold"] } },
    { code: "of-calls", ...percentage("40"), frequency: "once", applies_to: { billable_metric_codes: ["calls"] } },
  ];
}

export type MetricIds = Readonly<Record<string, string>>;

export const toApiCharge = (charge: ChargeTerms, ids: MetricIds, currency: Currency): Members => ({
  billable_metric_id: ids[charge.metric],
  charge_model: charge.model,
  pay_in_advance: charge.isInAdvance,
  prorated: charge.isProrated,
  invoiceable: charge.isInvoiceable,
  ...(charge.isRegrouped ? { regroup_paid_fees: "invoice" } : {}),
  min_amount_cents: charge.minimum,
  properties: {
    ...toApiPrice(charge, currency),
    ...(charge.groupedBy.length > 0 ? { grouped_by: charge.groupedBy } : {}),
  },
  filters: charge.filters.map((filter) => ({ values: filter.values, properties: toApiPrice(filter, currency) })),
  tax_codes: charge.taxCodes,
});

export const toApiPlan = (plan: PlanTerms, ids: MetricIds, currency: Currency): Members & { charges: Members[] } => ({
  name: plan.code,
  code: plan.code,
  interval: plan.interval,
  amount_cents: plan.amount,
  amount_currency: currency.code,
  pay_in_advance: plan.isInAdvance,
  trial_period: plan.trialDays,
  bill_charges_monthly: plan.areChargesMonthly,
  charges: plan.charges.map((charge) => toApiCharge(charge, ids, currency)),
  tax_codes: plan.taxCodes,
  ...(plan.commitment > 0 ? { minimum_commitment: { amount_cents: plan.commitment } } : {}),
});
