/** Prices of a recurring quantity whose units weigh the days they were there. */
import type { GraduatedPricing, StandardPricing, Tier, VolumePricing } from "../catalog/index.ts";
import { type Decimal, exactText, Fraction, fraction, greatest, NOTHING, sum, ZERO } from "../money/index.ts";
import type { Change } from "../usage/index.ts";
import type { ChangeStep, ProratedDerivation } from "./derivation.ts";
import { enteredTiers } from "./graduated.ts";
import { atLeastZero } from "./price.ts";
import type { Priced } from "./priced.ts";
import { tierOf } from "./volume.ts";

export type ProratedPricing = StandardPricing | VolumePricing | GraduatedPricing;

export type ProratedUse = {
  /** Whole units at the end: they choose a volume tier, and are what a fee shows. */
  readonly fullUnits: Decimal;
  readonly proratedUnits: Decimal;
  readonly changes: readonly Change[];
  readonly periodDays: number;
};

/** A seat at 30 a month that came on 10 September weighs 21 of 30 days: 21. */
export function priceProrated(pricing: ProratedPricing, given: ProratedUse): Priced<ProratedDerivation> {
  // A total below zero is billed as nothing, however long its units were there.
  const use = given.fullUnits.lt(ZERO) ? { ...given, fullUnits: ZERO, proratedUnits: ZERO } : given;
  switch (pricing.model) {
    case "standard":
      return rateUnits("prorated_standard", use, { perUnit: pricing.amount, flat: ZERO });
    case "volume":
      return rateVolumeUnits(pricing, use);
    case "graduated":
      return rateChanges(pricing.tiers, use);
  }
}

/** The tier is chosen by full units, its flat amount is not prorated; only where nothing was there at all nothing is due. */
function rateVolumeUnits({ tiers }: VolumePricing, use: ProratedUse): Priced<ProratedDerivation> {
  const isUsed = use.fullUnits.gt(ZERO) || use.proratedUnits.gt(ZERO);
  const tier = isUsed ? tierOf(tiers, use.fullUnits) : undefined;
  return rateUnits("prorated_volume", use, tier ?? { perUnit: ZERO, flat: ZERO });
}

function rateUnits(
  model: "prorated_standard" | "prorated_volume",
  use: ProratedUse,
  { perUnit, flat }: Pick<Tier, "perUnit" | "flat">,
): Priced<ProratedDerivation> {
  const units = atLeastZero(use.proratedUnits);
  return {
    amount: fraction(units).times(perUnit).plus(flat),
    derivation: {
      model,
      fullUnits: exactText(use.fullUnits),
      proratedUnits: exactText(units),
      perUnit: exactText(perUnit),
      flat: exactText(flat),
    },
  };
}

/**
 * Each change is priced by the tiers it passes and weighed by its days; flat amounts are due for every tier up to the one
 * that held the highest total.
 */
function rateChanges(tiers: readonly Tier[], { changes, periodDays }: ProratedUse): Priced<ProratedDerivation> {
  let total = ZERO;
  let highest = ZERO;
  let weighed = NOTHING;
  const steps: ChangeStep[] = [];
  for (const { units, days } of changes) {
    const before = priceWithoutFlats(tiers, total);
    total = total.plus(units);
    if (total.gt(highest)) highest = total;
    const after = priceWithoutFlats(tiers, total);
    weighed = weighed.plus(after.minus(before).times(new Fraction(BigInt(days), BigInt(periodDays))));
    steps.push({ units: exactText(units), days, before: exactText(before), after: exactText(after) });
  }
  const isBelowZero = total.lt(ZERO);
  const flats = enteredTiers(tiers, highest).map(({ tier }) => tier.flat);
  return {
    amount: isBelowZero ? NOTHING : greatest(weighed, NOTHING).plus(sum(flats)),
    derivation: { model: "prorated_graduated", periodDays, changes: steps, flats: flats.map(exactText), isBelowZero },
  };
}

const priceWithoutFlats = (tiers: readonly Tier[], units: Decimal): Fraction =>
  sum(enteredTiers(tiers, units).map(({ tier, units: inTier }) => inTier.times(tier.perUnit)));
