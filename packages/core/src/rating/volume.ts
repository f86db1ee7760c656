/** Volume prices: all units are priced by the tier the total falls in. */
import type { Tier } from "../catalog/index.ts";
import { type Decimal, fraction, NOTHING } from "../money/index.ts";
import type { PricingDerivation } from "./derivation.ts";
import { tierStep } from "./graduated.ts";
import type { Priced } from "./priced.ts";

/** 100.5 units over 0–100 at 2 + 10 and 101–200 at 1 cost 100.5: the fraction lifts the total into the second tier. */
export function rateVolume(tiers: readonly Tier[], units: Decimal): Priced<PricingDerivation> {
  const total = fraction(units);
  const tier = total.isZero() ? undefined : tierOf(tiers, units);
  if (!tier) return { amount: NOTHING, derivation: { model: "volume", tier: null } };
  return {
    amount: total.times(tier.perUnit).plus(tier.flat),
    derivation: { model: "volume", tier: tierStep(tier, total) },
  };
}

/** The tier a total falls in; a total equal to a tier's end is still inside it. */
export function tierOf(tiers: readonly Tier[], units: Decimal): Tier | undefined {
  return tiers.find(({ to }) => to === null || !fraction(units).isAbove(to));
}
