// Ranges of a price as intervals of usage: a tier contains what lies above the previous tier, up to and including its own end.

import { isBelow, minus, over, plus, type Rational, rational, sum, times, whole, ZERO } from "./rational.ts";

/** A range in its API form: `per_unit_amount` for amounts, `rate` for percentages. */
export type PriceRange = {
  from_value: number;
  to_value: number | null;
  per_unit_amount?: string;
  rate?: string;
  flat_amount: string;
};

export type Tier = { above: Rational; upTo: Rational | null; perUnit: Rational; flat: Rational };

/** The intervals of ranges that follow each other, classic (11 after 10) and adjacent (10 after 10) alike. */
export const tiersOf = (ranges: readonly PriceRange[]): Tier[] =>
  ranges.map((range, index) => ({
    above: whole(ranges[index - 1]?.to_value ?? 0),
    upTo: range.to_value === null ? null : whole(range.to_value),
    perUnit:
      range.per_unit_amount === undefined
        ? over(rational(range.rate ?? "0"), whole(100))
        : rational(range.per_unit_amount),
    flat: rational(range.flat_amount),
  }));

/** The tier that contains a point of the usage axis. A point of 0 lies in the first tier. */
export function tierAt(tiers: readonly Tier[], point: Rational): Tier {
  const tier = tiers.find(({ upTo }) => upTo === null || !isBelow(upTo, point));
  if (tier === undefined) throw new Error("the last range must be open");
  return tier;
}

/** A piece of the usage axis inside one tier, so that one price applies to all of it. */
export type Sliver = { from: Rational; to: Rational; perUnit: Rational };

/** The axis from 0 to the highest of some points, split at each point and at the end of each tier. */
export function sliversUpTo(tiers: readonly Tier[], points: readonly Rational[]): Sliver[] {
  const highest = points.reduce((high, point) => (isBelow(high, point) ? point : high), ZERO);
  const ends = tiers.flatMap(({ upTo }) => (upTo === null ? [] : [upTo]));
  const cuts = [...ends, ...points].filter((cut) => isBelow(ZERO, cut) && !isBelow(highest, cut));
  cuts.sort((a, b) => Number(isBelow(b, a)) - Number(isBelow(a, b)));
  return cuts.map((to, index) => {
    const from = cuts[index - 1] ?? ZERO;
    const middle = over(plus(from, to), whole(2));
    return { from, to, perUnit: tierAt(tiers, middle).perUnit };
  });
}

/** What usage from 0 to a point costs without flat amounts. */
export const sliverPrice = (tiers: readonly Tier[], units: Rational): Rational =>
  sum(sliversUpTo(tiers, [units]).map(({ from, to, perUnit }) => times(minus(to, from), perUnit)));

/** The flat amounts of all tiers that usage has entered. Without usage, none is entered. */
export const flatsUpTo = (tiers: readonly Tier[], units: Rational): Rational =>
  sum(tiers.filter(({ above }) => isBelow(above, units)).map(({ flat }) => flat));
