/** Graduated prices: each unit is priced by its tier. A tier's flat amount is due once the tier is entered. */
import type { GraduatedPricing } from "../catalog/index.ts";
import { sum } from "../money/index.ts";
import type { PriceModel } from "./price-model.ts";
import { enteredTiers, explainTier, rangeDetails, type TierStep, tierAmount, tierStep } from "./tiers.ts";

export type GraduatedDerivation = { readonly model: "graduated"; readonly tiers: readonly TierStep[] };

/** 11 units over 0–10 at 10 + 2 and 11–20 at 5 + 3 cost 102 + 8. */
export const graduated: PriceModel<GraduatedPricing, GraduatedDerivation> = {
  price: ({ tiers }, { units }) => {
    const entered = enteredTiers(tiers, units);
    return {
      amount: sum(entered.map(({ tier, units: inTier }) => inTier.times(tier.perUnit).plus(tier.flat))),
      derivation: { model: "graduated", tiers: entered.map(({ tier, units: inTier }) => tierStep(tier, inTier)) },
    };
  },
  amountFrom: ({ tiers }) => sum(tiers.map(tierAmount)),
  explain: ({ tiers }) => tiers.map(explainTier),
  details: ({ tiers }) => ({
    graduated_ranges: tiers.map((tier) => ({ ...rangeDetails(tier, tierAmount(tier)), per_unit_amount: tier.perUnit })),
  }),
};
