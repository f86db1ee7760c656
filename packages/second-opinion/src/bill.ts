// The fees of one bill: the plan's own, its usage, minimums, what is renewed, and what its commitment leaves open.

import type { TaxRate } from "./credit-rules.ts";
import { dayNumber } from "./days.ts";
import type { BillCase, ChargeTerms, MetricTerms, PricedProperties, Span, UsageCase } from "./opinion-case.ts";
import { percentageOfSum } from "./percentage.ts";
import { exactPrice, toPrice } from "./pricing.ts";
import { oracleProrated } from "./prorated.ts";
import { atLeastZero, isBelow, type Rational, whole, ZERO } from "./rational.ts";
import { oracleCommitment, oracleMinimum, oracleSubscriptionFee } from "./subscription.ts";
import { bucketName, type Used, usedOf, type Window } from "./usage.ts";

export type OpinedFee = {
  /** Unique on its invoice. */
  name: string;
  cents: bigint;
  metricCode: string | null;
  planCode: string;
  /** From the nearest level on. */
  taxLevels: TaxRate[][];
  isInvoiced: boolean;
};

/** What was counted again, for whoever counted it first. */
export type OpinedUnits = { name: string; units: Rational };

export type OpinedBill = { fees: OpinedFee[]; units: OpinedUnits[] };

/** Each piece of a graduated price is held against each change. */
const CHANGES_MAX = 500;

const daysIn = ({ firstDay, lastDay }: Span): number =>
  dayNumber(Temporal.PlainDate.from(lastDay)) - dayNumber(Temporal.PlainDate.from(firstDay)) + 1;

const total = (fees: readonly OpinedFee[]): bigint => fees.reduce((all, { cents }) => all + cents, 0n);

export function opineBill(bill: BillCase, digits: number): OpinedBill {
  const own = planFees(bill);
  const usage = bill.usage.map((use) => usageFees(bill, use, digits));
  const renewed = bill.renewed.map((use) => renewalFees(bill, use, digits));
  const used = usage.flatMap(({ fees }) => fees);
  // What is paid in advance is for the next period.
  const closing = bill.plan.pay_in_advance ? used : [...own, ...used];
  return {
    fees: [...own, ...used, ...renewed.flatMap(({ fees }) => fees), ...commitmentFees(bill, total(closing))],
    units: [...usage, ...renewed].flatMap(({ units }) => units),
  };
}

function planFees({ subscriptionId, plan, windows: { fee }, taxes }: BillCase): OpinedFee[] {
  if (fee === null) return [];
  const days = daysIn(fee) - fee.freeDays;
  const cents = oracleSubscriptionFee({ cents: String(plan.amount_cents), days, periodDays: fee.periodDays });
  return [feeOf(`${subscriptionId} subscription`, cents, { plan, levels: [taxes.plan] })];
}

function commitmentFees(
  { subscriptionId, plan, windows, usedBeforeMinor, taxes }: BillCase,
  used: bigint,
): OpinedFee[] {
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

function usageFees(bill: BillCase, use: UsageCase, digits: number): OpinedBill {
  const { plan, windows } = bill;
  const { charge, metric } = chargeOf(bill, use);
  const window = windows.charges;
  if (window === null || charge.pay_in_advance || isTakenOver(bill, charge, metric)) return { fees: [], units: [] };
  const used = usedOf(charge, metric, use, window);
  const about = { plan, metric, levels: [bill.taxes.charges[charge.id] ?? [], bill.taxes.plan] };
  const fees = used.map((one) =>
    feeOf(nameOf(bill, "usage", charge, one), centsOf(charge, one, window, digits), about),
  );
  const missing = oracleMinimum({
    minimum: String(charge.min_amount_cents),
    used: String(total(fees)),
    days: daysIn(window),
    periodDays: window.periodDays,
  });
  const trueUp = missing === 0n ? [] : [feeOf(`${bill.subscriptionId} minimum ${charge.id}`, missing, about)];
  return { fees: [...fees, ...trueUp], units: unitsOf(bill, "usage", charge, used) };
}

/** All that a recurring metric holds where a period begins, for all of its days. */
function renewalFees(bill: BillCase, use: UsageCase, digits: number): OpinedBill {
  const { plan, windows } = bill;
  const { charge, metric } = chargeOf(bill, use);
  const { renewal } = windows;
  if (renewal === null || !charge.pay_in_advance || !metric.recurring) return { fees: [], units: [] };
  const window: Window = windows.charges ?? { ...renewal, to: renewal.from };
  const used = usedOf(charge, metric, use, window);
  const about = { plan, metric, levels: [bill.taxes.charges[charge.id] ?? [], bill.taxes.plan] };
  const fees = used.map((one) => {
    const units = atLeastZero(one.units);
    const { cents } = toPrice(exactPrice(pricingOf(charge, one), units, [units]), digits);
    return { ...feeOf(nameOf(bill, "renewal", charge, one), cents, about), isInvoiced: charge.invoiceable };
  });
  return { fees, units: unitsOf(bill, "renewal", charge, used) };
}

const unitsOf = (bill: BillCase, kind: string, charge: ChargeTerms, used: readonly Used[]): OpinedUnits[] =>
  used.filter(({ isCounted }) => isCounted).map((one) => ({ name: nameOf(bill, kind, charge, one), units: one.units }));

const nameOf = ({ subscriptionId }: BillCase, kind: string, { id }: ChargeTerms, used: Used): string =>
  `${subscriptionId} ${kind} ${id} ${bucketName(used)}`;

/** The plan that takes over bills what a recurring metric holds, unless it goes by days. */
const isTakenOver = ({ successorMetricCodes }: BillCase, { prorated }: ChargeTerms, metric: MetricTerms): boolean =>
  metric.recurring && !prorated && successorMetricCodes.includes(metric.code);

function chargeOf({ plan, metrics }: BillCase, { chargeId }: UsageCase) {
  const charge = plan.charges.find(({ id }) => id === chargeId);
  const metric = charge && metrics[charge.billable_metric_id];
  if (!charge || !metric) throw new Error(`the plan has no charge ${chargeId}, or nobody knows its metric`);
  return { charge, metric };
}

function pricingOf(
  charge: ChargeTerms,
  { filterId }: Used,
): { model: ChargeTerms["charge_model"]; properties: PricedProperties } {
  const filter = charge.filters.find(({ id }) => id === filterId);
  return { model: charge.charge_model, properties: filter?.properties ?? charge.properties };
}

function centsOf(charge: ChargeTerms, used: Used, { periodDays }: Window, digits: number): bigint {
  const { model, properties } = pricingOf(charge, used);
  if (!charge.prorated) {
    const isOfSum = model === "percentage" && used.values.length === 0 && isBelow(ZERO, used.units);
    const price = isOfSum
      ? percentageOfSum(properties, used.units, used.events)
      : exactPrice({ model, properties }, used.units, used.values);
    return toPrice(price, digits).cents;
  }
  if (model === "graduated" && used.changes.length > CHANGES_MAX)
    throw new Error("too many changes to follow each piece of a graduated price through all of them");
  if (model !== "standard" && model !== "volume" && model !== "graduated")
    throw new Error(`${model} is never prorated`);
  return oracleProrated({ model, properties, changes: used.changes, periodDays, digits }).cents;
}

type About = { plan: BillCase["plan"]; metric?: MetricTerms; levels: TaxRate[][] };

const feeOf = (name: string, cents: bigint, { plan, metric, levels }: About): OpinedFee => ({
  name,
  cents,
  metricCode: metric?.code ?? null,
  planCode: plan.code,
  taxLevels: levels,
  isInvoiced: true,
});

/** A whole number of cents as a fraction, for whoever taxes it. */
export const exactCents = ({ cents }: OpinedFee): Rational => whole(cents);
