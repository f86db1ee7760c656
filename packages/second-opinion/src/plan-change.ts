// What a plan change leaves to a charge on a recurring metric: some days of its period, or the units beyond those already paid.

import { cameBefore } from "./came-before.ts";
import { exactPrice, type Pricing } from "./pricing.ts";
import { ceilingAt, isQuantity, larger, plus, type Rational, ratio, rational, times, ZERO } from "./rational.ts";
import type { EventCase, MetricTerms, PartCase, UsageCase } from "./recomputation-input.ts";
import { bucketName, type Placed } from "./usage.ts";

/** A price that does not weigh days, for some days: 10 units for 17 of 31 days are 5.48388 units. */
export function priceForDays(
  pricing: Pricing,
  whole: Rational,
  { units, days, periodDays }: { units: Rational; days: number; periodDays: number },
): Rational {
  const share = ratio(BigInt(days), BigInt(periodDays));
  if (pricing.model === "standard") return exactPrice(pricing, ceilingAt(times(units, share), 5), []);
  return times(whole, share);
}

type Beyond = Extract<PartCase, { type: "beyond_paid" }>;

/** By the name of the bucket: the highest total while fees were made in advance. */
export function paidTotals(
  metric: MetricTerms,
  { paid }: UsageCase,
  buckets: ReadonlyMap<string, readonly Placed[]> | null,
  part: Beyond,
): ReadonlyMap<string, Rational> {
  if (buckets === null) return new Map((paid ?? []).map((one) => [bucketName(one), rational(one.units)]));
  return new Map([...buckets].map(([name, events]) => [name, highestTotal(metric, events, part)]));
}

const isBefore = (one: string, other: string): boolean =>
  Temporal.Instant.compare(Temporal.Instant.from(one), Temporal.Instant.from(other)) < 0;

/** History by time, then the events of the paid interval in order of acceptance; each state is considered. */
function highestTotal(metric: MetricTerms, events: readonly Placed[], part: Beyond): Rational {
  const { paidFrom, paidTo, paidAfter, paidUpTo } = part;
  const history = events
    .filter((event) => cameBefore(event, paidFrom, paidAfter))
    .toSorted((one, other) =>
      isBefore(one.at, other.at) ? -1 : Number(one.at !== other.at) || one.position - other.position,
    );
  const accepted = events.filter(
    (event) => !cameBefore(event, paidFrom, paidAfter) && cameBefore(event, paidTo, paidUpTo),
  );
  const totals = totalsAfter(metric, [...history, ...accepted]);
  const reached = [history.length === 0 ? ZERO : (totals[history.length - 1] ?? ZERO), ...totals.slice(history.length)];
  return reached.reduce(larger, ZERO);
}

function totalsAfter({ aggregation_type, field_name }: MetricTerms, events: readonly EventCase[]): Rational[] {
  const valueIn = ({ properties }: EventCase) =>
    Object.hasOwn(properties, field_name ?? "") ? properties[field_name ?? ""] : undefined;
  if (aggregation_type === "unique_count_agg") {
    const inUse = new Set<string>();
    return events.map((event) => {
      const value = valueIn(event);
      const operation = event.properties.operation_type ?? "add";
      if (value !== undefined && operation === "add") inUse.add(value);
      if (value !== undefined && operation === "remove") inUse.delete(value);
      return ratio(BigInt(inUse.size), 1n);
    });
  }
  let total = ZERO;
  return events.map((event) => {
    const value = valueIn(event);
    if (isQuantity(value)) total = plus(total, rational(value));
    return total;
  });
}

const DIGITS = 60;

/** A total of decimals as a decimal: its denominator divides a power of ten. */
export function decimalText({ n, d }: Rational): string {
  const text = String((n * 10n ** BigInt(DIGITS)) / d).padStart(DIGITS + 1, "0");
  return `${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`;
}
