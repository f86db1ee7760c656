/** What a quantity costs by a charge model, for a whole period. */
import type { Pricing, StandardPricing } from "../catalog/index.ts";
import { type Decimal, exactText, fraction, ZERO } from "../money/index.ts";
import type { PricingDerivation } from "./derivation.ts";
import { rateGraduated, rateGraduatedPercentage } from "./graduated.ts";
import { ratePackage } from "./package.ts";
import { ratePercentage } from "./percentage.ts";
import type { Priced } from "./priced.ts";
import { rateVolume } from "./volume.ts";

/** What was used: the units, and what single events were worth for prices that look at them. */
export type Used = { readonly units: Decimal; readonly values: Iterable<Decimal> };

/** The price of a quantity; a quantity below zero costs what zero costs, which is nothing. */
export function price(pricing: Pricing, used: Used): Priced<PricingDerivation> {
  const units = atLeastZero(used.units);
  switch (pricing.model) {
    case "standard":
      return rateStandard(pricing, units);
    case "graduated":
      return rateGraduated(pricing.tiers, units);
    case "volume":
      return rateVolume(pricing.tiers, units);
    case "package":
      return ratePackage(pricing, units);
    case "percentage":
      return ratePercentage(pricing, used.values);
    case "graduated_percentage":
      return rateGraduatedPercentage(pricing.tiers, units);
  }
}

/** 7 units at 0.5 cost 3.5. */
function rateStandard({ amount }: StandardPricing, units: Decimal): Priced<PricingDerivation> {
  return {
    amount: fraction(units).times(amount),
    derivation: { model: "standard", units: exactText(units), perUnit: exactText(amount) },
  };
}

export const atLeastZero = (units: Decimal): Decimal => (units.lt(ZERO) ? ZERO : units);
