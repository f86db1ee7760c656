// Amounts by days: the fee of a plan, the minimum of a charge, the commitment of a plan.

import { isBelow, minus, nearest, type Rational, ratio, rational, times, ZERO } from "./rational.ts";

type Days = { days: number; periodDays: number };

export type SubscriptionFeeCase = Days & { cents: string };

export type MinimumCase = Days & { minimum: string; used: string };

const forDays = (cents: string, { days, periodDays }: Days): Rational =>
  times(rational(cents), ratio(BigInt(days), BigInt(periodDays)));

/** A plan's amount for some days of its period: 61 cents for 14 of 28 days are 31. */
export const oracleSubscriptionFee = (c: SubscriptionFeeCase): bigint => nearest(forDays(c.cents, c));

/** The true-up to the minimum of a charge. The difference is rounded, not the minimum. */
export function oracleMinimum(c: MinimumCase): bigint {
  const missing = minus(forDays(c.minimum, c), rational(c.used));
  return isBelow(ZERO, missing) ? nearest(missing) : 0n;
}

/** The true-up to the commitment of a plan. The commitment is rounded first. */
export function oracleCommitment(c: MinimumCase): bigint {
  const missing = nearest(forDays(c.minimum, c)) - BigInt(c.used);
  return missing > 0n ? missing : 0n;
}
