/** The charge models. A new one is a file of its own and a line here. */
import type { ChargeModel, Pricing } from "../catalog/index.ts";
import { type Decimal, fraction, greatest, NOTHING, ZERO } from "../money/index.ts";
import { type GraduatedDerivation, graduated } from "./graduated.ts";
import { type GraduatedPercentageDerivation, graduatedPercentage } from "./graduated-percentage.ts";
import { type PackageDerivation, packages } from "./package.ts";
import { percentage } from "./percentage.ts";
import type { PercentageDerivation } from "./percentage-tally.ts";
import type { Priced, PriceModel, Used } from "./price-model.ts";
import { type StandardDerivation, standard } from "./standard.ts";
import { type VolumeDerivation, volume } from "./volume.ts";

/** The derivation of the price of a quantity for a whole period. */
export type PricingDerivation =
  | StandardDerivation
  | GraduatedDerivation
  | VolumeDerivation
  | PackageDerivation
  | PercentageDerivation
  | GraduatedPercentageDerivation;

const MODELS: {
  readonly [Model in ChargeModel]: PriceModel<
    Extract<Pricing, { model: Model }>,
    Extract<PricingDerivation, { model: Model }>
  >;
} = { standard, graduated, volume, package: packages, percentage, graduated_percentage: graduatedPercentage };

/** The model that a derivation is of. */
export const modelOf = (model: ChargeModel) => MODELS[model] as PriceModel<Pricing, PricingDerivation>;

/** The cost of a quantity for a whole period. A quantity below zero costs nothing. */
export function price(pricing: Pricing, used: Used): Priced<PricingDerivation> {
  return modelOf(pricing.model).price(pricing, { ...used, units: greatest(fraction(used.units), NOTHING) });
}

export const atLeastZero = (units: Decimal): Decimal => (units.lt(ZERO) ? ZERO : units);
