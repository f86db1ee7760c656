// The fees of one bill: the plan's fee, usage, minimums, renewals, and the true-up of its commitment.

import type { TaxRate } from "./credit-rules.ts";
import { dayNumber } from "./days.ts";
import { percentageOfSum } from "./percentage.ts";
import { decimalText, paidTotals, priceForDays } from "./plan-change.ts";
import { exactPrice, toPrice } from "./pricing.ts";
import { oracleProrated } from "./prorated.ts";
import { atLeastZero, isBelow, minus, type Rational, whole, ZERO } from "./rational.ts";
import type { BillCase, ChargeTerms, MetricTerms, PricedProperties, Span, UsageCase } from "./recomputation-input.ts";
import { oracleCommitment, oracleMinimum, oracleSubscriptionFee } from "./subscription.ts";
import { bucketName, placesOf, type Used, usedOf, type Window } from "./usage.ts";

export type RecomputedFee = {
  /** Unique on its invoice. */
  name: string;
  cents: bigint;
  metricCode: string | null;
  planCode: string;
  /** The nearest level first. */
  taxLevels: TaxRate[][];
  isInvoiced: boolean;
};

/** The recounted usage, to compare with the first computation. */
export type RecomputedUnits = { name: string; units: Rational };

export type RecomputedBill = { fees: RecomputedFee[]; units: RecomputedUnits[] };

/** The limit for comparing each piece of a graduated price with each change. */
const CHANGES_MAX = 500;

const daysIn = ({ firstDay, lastDay }: Span): number =>
  dayNumber(Temporal.PlainDate.from(lastDay)) - dayNumber(Temporal.PlainDate.from(firstDay)) + 1;

const total = (fees: readonly RecomputedFee[]): bigint => fees.reduce((all, { cents }) => all + cents, 0n);

export function recomputeBill(bill: BillCase, digits: number): RecomputedBill {
  const own = planFees(bill);
  const usage = bill.usage.map((use) => usageFees(bill, use, digits));
  const renewed = bill.renewed.map((use) => renewalFees(bill, use, digits));
  const used = usage.flatMap(({ fees }) => fees);
  // A fee paid in advance is for the next period.
  const closing = bill.plan.pay_in_advance ? used : [...own, ...used];
  return {
    fees: [...own, ...used, ...renewed.flatMap(({ fees }) => fees), ...commitmentFees(bill, total(closing))],
    units: [...usage, ...renewed].flatMap(({ units }) => units),
  };
}

function planFees({ subscriptionId, plan, windows: { fee }, taxes }: BillCase): RecomputedFee[] {
  if (fee === null) return [];
  const days = daysIn(fee) - fee.freeDays;
  const cents = oracleSubscriptionFee({ cents: String(plan.amount_cents), days, periodDays: fee.periodDays });
  return [feeOf(`${subscriptionId} subscription`, cents, { plan, levels: [taxes.plan] })];
}

function commitmentFees(
  { subscriptionId, plan, windows, usedBeforeMinor, taxes }: BillCase,
  used: bigint,
): RecomputedFee[] {
  const { commitment } = windows;
  if (commitment === null || plan.minimum_commitment === null) return [];
  const cents = oracleCommitment({
    minimum: String(plan.minimum_commitment.amount_cents),
    used: String(used + BigInt(usedBeforeMinor)),
    days: daysIn(commitment),
    periodDays: commitment.periodDays,
  });
  const levels = [taxes.commitment, taxes.plan];
  return cents === 0n ? [] : [feeOf(`${subscriptionId} commitment`, cents, { plan, levels })];
}

function usageFees(bill: BillCase, use: UsageCase, digits: number): RecomputedBill {
  const { plan, windows } = bill;
  const { charge, metric } = chargeOf(bill, use);
  const part = windows.parts?.[charge.id];
  const isLeftOut = windows.parts ? part?.type === "left_out" : isTakenOver(bill, charge, metric);
  if (windows.charges === null || charge.pay_in_advance || isLeftOut) return { fees: [], units: [] };
  const window: Window = part?.type === "days" ? { ...windows.charges, ...daysOf(part) } : windows.charges;
  const used = usedOf(charge, metric, use, { ...window, accepted: windows.acceptedBefore });
  const paid = part?.type === "beyond_paid" ? paidTotals(metric, use, eventsByBucket(charge, metric, use), part) : null;
  const paidUsed = used.map((one) => asPaid(one, paid?.get(bucketName(one)) ?? ZERO, daysIn(window)));
  const about = { plan, metric, levels: [bill.taxes.charges[charge.id] ?? [], bill.taxes.plan] };
  const already = paid ? paidUsed.map((one) => exactOf(charge, one, window)) : [];
  const fees = used.map((one, index) => {
    const exact = minus(exactOf(charge, one, window), already[index] ?? ZERO);
    const amount = part?.type === "days" && isWhole(charge, metric) ? forDays(charge, one, { exact, window }) : exact;
    return feeOf(nameOf(bill, "usage", charge, one), toPrice(amount, digits).cents, about);
  });
  const counted = already.reduce((all, exact) => all + toPrice(exact, digits).cents, total(fees));
  const missing = oracleMinimum({
    minimum: String(charge.min_amount_cents),
    used: String(counted),
    days: daysIn(window),
    periodDays: window.periodDays,
  });
  const trueUp = missing === 0n ? [] : [feeOf(`${bill.subscriptionId} minimum ${charge.id}`, missing, about)];
  return { fees: [...fees, ...trueUp], units: unitsOf(bill, "usage", charge, used) };
}

const daysOf = ({ firstDay, lastDay }: { firstDay: string; lastDay: string }) => ({ firstDay, lastDay });

/** Whether its price does not weigh days itself. */
const isWhole = ({ prorated }: ChargeTerms, { aggregation_type }: MetricTerms): boolean =>
  !prorated && aggregation_type !== "weighted_sum_agg";

const forDays = (charge: ChargeTerms, used: Used, { exact, window }: { exact: Rational; window: Window }): Rational =>
  priceForDays(pricingOf(charge, used), exact, {
    units: used.units,
    days: daysIn(window),
    periodDays: window.periodDays,
  });

const eventsByBucket = (charge: ChargeTerms, metric: MetricTerms, { events }: UsageCase) =>
  events && new Map([...placesOf(charge, metric, events)].map(([name, { own }]) => [name, own]));

/** Paid units, as if one event had brought them before the window. */
function asPaid(used: Used, units: Rational, days: number): Used {
  const values = isBelow(ZERO, units) ? [units] : [];
  const changes = values.map((value) => ({ units: decimalText(value), days }));
  return { ...used, units, values, events: BigInt(values.length), changes };
}

/** Everything that a recurring metric holds at the start of a period, for all of its days. */
function renewalFees(bill: BillCase, use: UsageCase, digits: number): RecomputedBill {
  const { plan, windows } = bill;
  const { charge, metric } = chargeOf(bill, use);
  const { renewal } = windows;
  if (renewal === null || !charge.pay_in_advance || !metric.recurring) return { fees: [], units: [] };
  const window: Window = windows.charges ?? { ...renewal, to: renewal.from };
  const part = bill.reason === "starting" ? windows.parts?.[charge.id] : undefined;
  if (bill.reason === "starting" && windows.parts && (part?.type ?? "left_out") === "left_out")
    return { fees: [], units: [] };
  const used = usedOf(charge, metric, use, { ...window, accepted: windows.acceptedBefore });
  const about = { plan, metric, levels: [bill.taxes.charges[charge.id] ?? [], bill.taxes.plan] };
  const fees = used.map((one) => {
    const units = atLeastZero(one.units);
    const exact = exactPrice(pricingOf(charge, one), units, [units]);
    const days = part?.type === "days" ? { ...renewal, ...daysOf(part) } : null;
    const { cents } = toPrice(days ? forDays(charge, { ...one, units }, { exact, window: days }) : exact, digits);
    return { ...feeOf(nameOf(bill, "renewal", charge, one), cents, about), isInvoiced: charge.invoiceable };
  });
  return { fees, units: unitsOf(bill, "renewal", charge, used) };
}

const unitsOf = (bill: BillCase, kind: string, charge: ChargeTerms, used: readonly Used[]): RecomputedUnits[] =>
  used.filter(({ isCounted }) => isCounted).map((one) => ({ name: nameOf(bill, kind, charge, one), units: one.units }));

const nameOf = ({ subscriptionId }: BillCase, kind: string, { id }: ChargeTerms, used: Used): string =>
  `${subscriptionId} ${kind} ${id} ${bucketName(used)}`;

/** The plan that takes over bills what a recurring metric holds, unless the metric is prorated. */
const isTakenOver = ({ successorMetricCodes }: BillCase, { prorated }: ChargeTerms, metric: MetricTerms): boolean =>
  metric.recurring && !prorated && successorMetricCodes.includes(metric.code);

function chargeOf({ plan, metrics }: BillCase, { chargeId }: UsageCase) {
  const charge = plan.charges.find(({ id }) => id === chargeId);
  const metric = charge && metrics[charge.billable_metric_id];
  if (!charge || !metric) throw new Error(`the plan has no charge ${chargeId}, or its metric is unknown`);
  return { charge, metric };
}

function pricingOf(
  charge: ChargeTerms,
  { filterId }: Used,
): { model: ChargeTerms["charge_model"]; properties: PricedProperties } {
  const filter = charge.filters.find(({ id }) => id === filterId);
  return { model: charge.charge_model, properties: filter?.properties ?? charge.properties };
}

/** In major units, before rounding; a prorated price by its days. */
function exactOf(charge: ChargeTerms, used: Used, { periodDays }: Window): Rational {
  const { model, properties } = pricingOf(charge, used);
  if (!charge.prorated) {
    const isOfSum = model === "percentage" && used.values.length === 0 && isBelow(ZERO, used.units);
    return isOfSum
      ? percentageOfSum(properties, used.units, used.events)
      : exactPrice({ model, properties }, used.units, used.values);
  }
  if (model === "graduated" && used.changes.length > CHANGES_MAX)
    throw new Error("too many changes to follow each piece of a graduated price through all of them");
  if (model !== "standard" && model !== "volume" && model !== "graduated")
    throw new Error(`${model} is never prorated`);
  return oracleProrated({ model, properties, changes: used.changes, periodDays, digits: 0 }).exact;
}

type About = { plan: BillCase["plan"]; metric?: MetricTerms; levels: TaxRate[][] };

const feeOf = (name: string, cents: bigint, { plan, metric, levels }: About): RecomputedFee => ({
  name,
  cents,
  metricCode: metric?.code ?? null,
  planCode: plan.code,
  taxLevels: levels,
  isInvoiced: true,
});

/** A whole number of cents as a fraction, for computing taxes. */
export const exactCents = ({ cents }: RecomputedFee): Rational => whole(cents);
