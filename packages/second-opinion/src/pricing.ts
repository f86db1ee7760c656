// What an amount of usage costs under each pricing model.

import { type PercentageProperties, percentagePrice } from "./percentage.ts";
import {
  atLeastZero,
  isBelow,
  minorUnits,
  minus,
  plus,
  type Rational,
  rational,
  times,
  whole,
  ZERO,
} from "./rational.ts";
import { flatsUpTo, type PriceRange, sliverPrice, type Tier, tierAt, tiersOf } from "./tiers.ts";

export type PriceModel = "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage";

/** The properties of a charge, in their API form. */
export type PriceProperties = PercentageProperties & {
  amount?: string;
  free_units?: number;
  package_size?: number;
  graduated_ranges?: PriceRange[];
  volume_ranges?: PriceRange[];
  graduated_percentage_ranges?: PriceRange[];
};

export type Pricing = { model: PriceModel; properties: PriceProperties };

export type PriceCase = Pricing & {
  units: string;
  /** The values of the events in order of time; only a percentage price uses them. */
  values: string[];
  /** Minor digits of the currency. */
  digits: number;
};

/** In major units, and rounded to minor ones. */
export type Price = { exact: Rational; cents: bigint };

/** The tiers of any model that has them. */
export const tiersIn = ({ model, properties }: Pricing): Tier[] => {
  if (model === "volume") return tiersOf(properties.volume_ranges ?? []);
  return tiersOf((model === "graduated" ? properties.graduated_ranges : properties.graduated_percentage_ranges) ?? []);
};

/** A price, never below zero, rounded once. */
export function toPrice(amount: Rational, digits: number): Price {
  const exact = atLeastZero(amount);
  return { exact, cents: minorUnits(exact, digits) };
}

/** The smallest number of packages that hold the units, found with ever smaller steps. */
function packagesFor(units: Rational, size: Rational): bigint {
  let step = 1n;
  while (isBelow(times(whole(step), size), units)) step *= 2n;
  let tooFew = 0n;
  for (; step > 0n; step /= 2n) {
    if (isBelow(times(whole(tooFew + step), size), units)) tooFew += step;
  }
  return tooFew + 1n;
}

function packagePrice(properties: PriceProperties, units: Rational): Rational {
  const paid = minus(units, rational(properties.free_units ?? 0));
  if (!isBelow(ZERO, paid)) return ZERO;
  const packages = packagesFor(paid, rational(properties.package_size ?? 1));
  return times(whole(packages), rational(properties.amount ?? "0"));
}

/** In major units, not rounded; no usage costs nothing under every model. */
export function exactPrice(pricing: Pricing, units: Rational, values: readonly Rational[]): Rational {
  const { model, properties } = pricing;
  if (!isBelow(ZERO, units)) return ZERO;
  switch (model) {
    case "standard":
      return times(units, rational(properties.amount ?? "0"));
    case "package":
      return packagePrice(properties, units);
    case "percentage":
      return percentagePrice(properties, units, values);
    case "volume": {
      const { perUnit, flat } = tierAt(tiersIn(pricing), units);
      return plus(times(units, perUnit), flat);
    }
    case "graduated":
    case "graduated_percentage": {
      const tiers = tiersIn(pricing);
      return plus(sliverPrice(tiers, units), flatsUpTo(tiers, units));
    }
    default:
      return model satisfies never;
  }
}

/** The cost of a charge for a period's usage: EUR 1.2345 gives 123 cents. */
export const oraclePrice = (c: PriceCase): Price =>
  toPrice(exactPrice(c, rational(c.units), c.values.map(rational)), c.digits);
