// The cost of usage that is priced by the share of the period in which it was in use.

import { exactPrice, type Price, type PriceProperties, tiersIn, toPrice } from "./pricing.ts";
import {
  atLeastZero,
  ceilingAt,
  isBelow,
  isEqual,
  larger,
  minus,
  plus,
  type Rational,
  ratio,
  rational,
  sum,
  times,
  ZERO,
} from "./rational.ts";
import { flatsUpTo, sliversUpTo, tierAt } from "./tiers.ts";

export type ProratedCase = {
  model: "standard" | "volume" | "graduated";
  properties: PriceProperties;
  /** In order of time, starting with what was there before the window. A removal from a unique count has 0 days. */
  changes: { units: string; days: number }[];
  periodDays: number;
  digits: number;
};

type Change = { units: Rational; weight: Rational; before: Rational; after: Rational };

function changesOf(c: ProratedCase): Change[] {
  let after = ZERO;
  return c.changes.map((change) => {
    const units = rational(change.units);
    const before = after;
    after = plus(before, units);
    return { units, weight: ratio(BigInt(change.days), BigInt(c.periodDays)), before, after };
  });
}

/** The share of the period in which the piece of usage that ends at a point was in use: what covered it minus what uncovered it. */
const timePresent = (changes: readonly Change[], end: Rational): Rational =>
  sum(
    changes.map(({ before, after, weight }) => {
      const wasCovered = !isBelow(before, end);
      const isCovered = !isBelow(after, end);
      if (wasCovered === isCovered) return ZERO;
      return isCovered ? weight : minus(ZERO, weight);
    }),
  );

/** Each piece of the axis at its own price, for the share of the period in which it was in use. */
function graduatedPrice(c: ProratedCase, changes: readonly Change[]): Rational {
  const tiers = tiersIn(c);
  const totals = changes.map(({ after }) => after);
  const share = sum(
    sliversUpTo(tiers, totals).map(({ from, to, perUnit }) =>
      times(times(minus(to, from), perUnit), timePresent(changes, to)),
    ),
  );
  return plus(atLeastZero(share), flatsUpTo(tiers, totals.reduce(larger, ZERO)));
}

/** What a prorated charge costs: 12 of 31 days of a seat at 30.00 give 11.61. */
export function oracleProrated(c: ProratedCase): Price {
  const changes = changesOf(c);
  const full = sum(changes.map(({ units }) => units));
  if (isBelow(full, ZERO)) return toPrice(ZERO, c.digits);
  if (c.model === "graduated") return toPrice(graduatedPrice(c, changes), c.digits);

  const weighed = sum(changes.map(({ units, weight }) => times(units, weight)));
  const prorated = atLeastZero(ceilingAt(weighed, 5));
  if (c.model === "standard") return toPrice(exactPrice(c, prorated, []), c.digits);

  const isUnused = isEqual(full, ZERO) && isEqual(prorated, ZERO);
  const { perUnit, flat } = tierAt(tiersIn(c), full);
  return toPrice(isUnused ? ZERO : plus(times(prorated, perUnit), flat), c.digits);
}
