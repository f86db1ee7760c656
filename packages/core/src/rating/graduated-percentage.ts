/** Graduated percentages: each unit costs the percentage of its tier. A tier's flat amount is due once the tier is entered. */
import type { GraduatedPercentagePricing, PercentageTier } from "../catalog/index.ts";
import { exactText, type Fraction, readableText, readExact, sum } from "../money/index.ts";
import type { PriceModel } from "./price-model.ts";
import { enteredTiers, rangeDetails, type TierUnits, tierName, tierUnits } from "./tiers.ts";
import { flatText } from "./words.ts";

type PercentageTierStep = TierUnits & { readonly rate: string; readonly flat: string };

export type GraduatedPercentageDerivation = {
  readonly model: "graduated_percentage";
  readonly tiers: readonly PercentageTierStep[];
};

/** 11 units over 0–10 at 1 % + 200 and 11–20 at 2 % + 300 cost 200.10 + 300.02. */
export const graduatedPercentage: PriceModel<GraduatedPercentagePricing, GraduatedPercentageDerivation> = {
  price: ({ tiers }, { units }) => {
    const entered = enteredTiers(tiers, units);
    return {
      amount: sum(entered.map(({ tier, units: inTier }) => inTier.times(tier.rate).over(100n).plus(tier.flat))),
      derivation: {
        model: "graduated_percentage",
        tiers: entered.map(({ tier, units: inTier }) => stepOf(tier, inTier)),
      },
    };
  },
  amountFrom: ({ tiers }) => sum(tiers.map(amountOf)),
  explain: ({ tiers }) =>
    tiers.map(
      (tier) =>
        `${tierName(tier)}: ${tier.units} × ${tier.rate} %${flatText(tier.flat)} = ${readableText(amountOf(tier))}`,
    ),
  details: ({ tiers }) => ({
    graduated_percentage_ranges: tiers.map((tier) => ({ ...rangeDetails(tier, amountOf(tier)), rate: tier.rate })),
  }),
};

const stepOf = (tier: PercentageTier, units: Fraction): PercentageTierStep => ({
  ...tierUnits(tier, units),
  rate: exactText(tier.rate),
  flat: exactText(tier.flat),
});

const amountOf = ({ units, rate, flat }: PercentageTierStep): Fraction =>
  readExact(units).times(readExact(rate)).over(100n).plus(readExact(flat));
