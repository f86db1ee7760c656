/** Standard prices: every unit costs the same. */
import type { StandardPricing } from "../catalog/index.ts";
import { exactText, fraction, readExact } from "../money/index.ts";
import type { PriceModel } from "./price-model.ts";
import { product } from "./words.ts";

export type StandardDerivation = { readonly model: "standard"; readonly units: string; readonly perUnit: string };

export const standard: PriceModel<StandardPricing, StandardDerivation> = {
  price: ({ amount }, { units }) => ({
    amount: fraction(units).times(amount),
    derivation: { model: "standard", units: exactText(units), perUnit: exactText(amount) },
  }),
  amountFrom: ({ units, perUnit }) => readExact(units).times(readExact(perUnit)),
  explain: ({ units, perUnit }) => [product(units, perUnit)],
  details: () => ({}),
};
