/** Volume prices: all units are priced by the tier the total falls in. */
import type { VolumePricing } from "../catalog/index.ts";
import { fraction, NOTHING } from "../money/index.ts";
import type { PriceModel } from "./price-model.ts";
import { explainTier, rangeDetails, type TierStep, tierAmount, tierOf, tierStep } from "./tiers.ts";

/** No tier if nothing was used. */
export type VolumeDerivation = { readonly model: "volume"; readonly tier: TierStep | null };

/** 100.5 units over 0–100 at 2 + 10 and 101–200 at 1 cost 100.5: the fraction lifts the total into the second tier. */
export const volume: PriceModel<VolumePricing, VolumeDerivation> = {
  price: ({ tiers }, { units }) => {
    const total = fraction(units);
    const tier = total.isZero() ? undefined : tierOf(tiers, units);
    if (!tier) return { amount: NOTHING, derivation: { model: "volume", tier: null } };
    return {
      amount: total.times(tier.perUnit).plus(tier.flat),
      derivation: { model: "volume", tier: tierStep(tier, total) },
    };
  },
  amountFrom: ({ tier }) => (tier === null ? NOTHING : tierAmount(tier)),
  explain: ({ tier }) => (tier === null ? ["nothing used"] : [`all in ${explainTier(tier)}`]),
  details: ({ tier }) => {
    if (tier === null) return {};
    const { flat_unit_amount, per_unit_total_amount } = rangeDetails(tier, tierAmount(tier));
    return { flat_unit_amount, per_unit_amount: tier.perUnit, per_unit_total_amount };
  },
};
