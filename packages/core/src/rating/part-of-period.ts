/** Prices after a plan change leaves a charge only a part of its period, or only the units beyond those already paid. */
import type { Pricing } from "../catalog/index.ts";
import { ceilTo, type Decimal, fraction, ZERO } from "../money/index.ts";
import type { PricingDerivation } from "./models.ts";
import type { Priced } from "./price-model.ts";
import { type ProratedDerivation, priceUnits } from "./prorated.ts";

/** The billed days of a full period. */
export type BilledDays = { readonly days: number; readonly periodDays: number };

/** A price that does not weigh days, for some days of its period. */
export type ByDaysDerivation = {
  readonly model: "by_days";
  readonly days: number;
  readonly periodDays: number;
  readonly whole: PricingDerivation;
};

/** The cost of the units beyond those already paid, at the prices of this charge. */
export type BeyondPaidDerivation = {
  readonly model: "beyond_paid";
  readonly used: PricingDerivation | ProratedDerivation;
  readonly paid: PricingDerivation | ProratedDerivation;
};

const UNIT_DIGITS = 5;

/** With one price for all units, the units are weighed by the days: 10 for 17 of 31 are 5.48388. Other prices weigh the amount. */
export function priceByDays(
  pricing: Pricing,
  whole: Priced<PricingDerivation>,
  { units, days, periodDays }: BilledDays & { readonly units: Decimal },
): Priced<ProratedDerivation | ByDaysDerivation> {
  if (pricing.model === "standard") {
    const proratedUnits = ceilTo(fraction(units).times(BigInt(days)).over(BigInt(periodDays)), UNIT_DIGITS);
    return priceUnits({ fullUnits: units, proratedUnits }, { perUnit: pricing.amount, flat: ZERO });
  }
  return {
    amount: whole.amount.times(BigInt(days)).over(BigInt(periodDays)),
    derivation: { model: "by_days", days, periodDays, whole: whole.derivation },
  };
}

type Either = Priced<PricingDerivation | ProratedDerivation>;

/** 13 units of which 10 were paid: the cost of 13 less the cost of 10, at least 0. */
export const priceBeyond = (used: Either, paid: Either): Priced<BeyondPaidDerivation> => ({
  amount: used.amount.minus(paid.amount),
  derivation: { model: "beyond_paid", used: used.derivation, paid: paid.derivation },
});
