/** What is returned of a charge paid in advance when another plan bills some of its days. */
import {
  type Decimal,
  decimal,
  exactText,
  type Fraction,
  fraction,
  least,
  type Minor,
  truncateTo,
  ZERO,
} from "../money/index.ts";
import { countDays } from "../time/index.ts";
import type { Days } from "./charge-parts.ts";
import { earlierDay, laterDay } from "./order.ts";

/** A billed fee of a charge in advance. */
export type PaidDays = Days & {
  /** Units of earlier fees for the same period, filter and group. */
  readonly unitsBefore: Decimal;
  readonly units: Decimal;
  /** Before rounding, in minor units. */
  readonly preciseAmountMinor: Decimal;
  readonly amountMinor: Minor;
  /** What earlier credit notes took of it, to 5 decimals of a minor unit. */
  readonly creditedMinor: Decimal;
};

export type ReturnedDerivation = {
  readonly type: "returned_days";
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: number;
  /** The days that the fee was for. */
  readonly feeDays: number;
  /** The units of the fee that were still in use. */
  readonly unitsLeft: string;
  readonly units: string;
  readonly preciseAmountMinor: string;
  readonly creditMinor: string;
};

/** Before tax and without the fee's coupons; the credit note includes those. */
export type ReturnedCredit = { readonly creditMinor: Decimal; readonly derivation: ReturnedDerivation };

const DECIMALS = 5;

/**
 * 17 of 30 days of 9677.42 are 5483.87133. For several fees, the first units stay longest: units that were removed before the change are
 * not returned. null: nothing is returned.
 */
export function returnedCredit(fee: PaidDays, days: Days, unitsHeld: Decimal): ReturnedCredit | null {
  const firstDay = laterDay(fee.firstDay, days.firstDay);
  const lastDay = earlierDay(fee.lastDay, days.lastDay);
  const [returned, feeDays] = [countDays(firstDay, lastDay), countDays(fee.firstDay, fee.lastDay)];
  const unitsLeft = between(unitsHeld.minus(fee.unitsBefore), fee.units);
  if (returned <= 0 || !fee.units.gt(ZERO) || !unitsLeft.gt(ZERO)) return null;
  const share = shareOf(fee, { returned, feeDays, unitsLeft });
  const rest = fraction(fee.amountMinor).minus(fee.creditedMinor);
  const creditMinor = truncateTo(least(share, rest), DECIMALS);
  if (!creditMinor.gt(ZERO)) return null;
  return {
    creditMinor,
    derivation: {
      type: "returned_days",
      firstDay: String(firstDay),
      lastDay: String(lastDay),
      days: returned,
      feeDays,
      unitsLeft: exactText(unitsLeft),
      units: exactText(fee.units),
      preciseAmountMinor: exactText(fee.preciseAmountMinor),
      creditMinor: exactText(creditMinor),
    },
  };
}

type Share = { readonly returned: number; readonly feeDays: number; readonly unitsLeft: Decimal };

const shareOf = ({ preciseAmountMinor, units }: PaidDays, { returned, feeDays, unitsLeft }: Share): Fraction =>
  fraction(preciseAmountMinor).times(unitsLeft).times(BigInt(returned)).over(units).over(BigInt(feeDays));

const between = (units: Decimal, most: Decimal): Decimal => {
  if (units.lt(ZERO)) return ZERO;
  return units.gt(most) ? most : units;
};

/** How many days a fee of one event covered, from its weighed units: it may not have been created today. */
export function daysFromUnits(weighed: Decimal, units: Decimal, periodDays: number): number {
  if (!units.gt(ZERO)) return periodDays;
  const days = truncateTo(fraction(weighed).times(BigInt(periodDays)).over(units), 0);
  return Number((days.gt(decimal(String(periodDays))) ? decimal(String(periodDays)) : days).toFixed());
}
