/** Prices of a recurring quantity whose units are weighed by the days they were in use. */
import type { GraduatedPricing, StandardPricing, Tier, VolumePricing } from "../catalog/index.ts";
import {
  type Decimal,
  exactText,
  type Fraction,
  fraction,
  greatest,
  NOTHING,
  readableText,
  readExact,
  sum,
  ZERO,
} from "../money/index.ts";
import type { Change } from "../usage/index.ts";
import { atLeastZero } from "./models.ts";
import type { Priced } from "./price-model.ts";
import { enteredTiers, tierOf } from "./tiers.ts";
import { flatText } from "./words.ts";

/** A change of the running total, priced by the tiers it passes and weighed by its days. */
type ChangeStep = {
  readonly units: string;
  readonly days: number;
  /** The cost of the total before and after the change, for a full period and without flat amounts. */
  readonly before: string;
  readonly after: string;
};

/** Units in use for a part of the period: full units are shown and choose the tier, prorated units are priced. */
type UnitsDerivation = {
  readonly model: "prorated_units";
  readonly fullUnits: string;
  readonly proratedUnits: string;
  readonly perUnit: string;
  readonly flat: string;
};

type ChangesDerivation = {
  readonly model: "prorated_graduated";
  readonly periodDays: number;
  readonly changes: readonly ChangeStep[];
  /** Flat amounts of every tier up to the one with the highest total. */
  readonly flats: readonly string[];
  /** A total below zero costs nothing at all. */
  readonly isBelowZero: boolean;
};

export type ProratedDerivation = UnitsDerivation | ChangesDerivation;

export type ProratedPricing = StandardPricing | VolumePricing | GraduatedPricing;

export type ProratedUse = {
  /** Whole units at the end. They choose a volume tier, and a fee shows them. */
  readonly fullUnits: Decimal;
  readonly proratedUnits: Decimal;
  readonly changes: readonly Change[];
  readonly periodDays: number;
};

/** A seat at 30 a month that was added on September 10 has 21 of 30 days: 21. */
export function priceProrated(pricing: ProratedPricing, input: ProratedUse): Priced<ProratedDerivation> {
  // A total below zero is billed as 0, however long its units were in use.
  const use = input.fullUnits.lt(ZERO) ? { ...input, fullUnits: ZERO, proratedUnits: ZERO } : input;
  switch (pricing.model) {
    case "standard":
      return priceUnits(use, { perUnit: pricing.amount, flat: ZERO });
    case "volume":
      return rateVolumeUnits(pricing, use);
    case "graduated":
      return rateChanges(pricing.tiers, use);
  }
}

/** Full units choose the tier, and its flat amount is not prorated. Without any usage, nothing is due. */
function rateVolumeUnits({ tiers }: VolumePricing, use: ProratedUse): Priced<ProratedDerivation> {
  const isUsed = use.fullUnits.gt(ZERO) || use.proratedUnits.gt(ZERO);
  const tier = isUsed ? tierOf(tiers, use.fullUnits) : undefined;
  return priceUnits(use, tier ?? { perUnit: ZERO, flat: ZERO });
}

/** Units at a price, with a flat amount that is not prorated. */
export function priceUnits(
  { fullUnits, proratedUnits }: Pick<ProratedUse, "fullUnits" | "proratedUnits">,
  { perUnit, flat }: Pick<Tier, "perUnit" | "flat">,
): Priced<ProratedDerivation> {
  const units = atLeastZero(proratedUnits);
  return {
    amount: fraction(units).times(perUnit).plus(flat),
    derivation: {
      model: "prorated_units",
      fullUnits: exactText(fullUnits),
      proratedUnits: exactText(units),
      perUnit: exactText(perUnit),
      flat: exactText(flat),
    },
  };
}

/**
 * Each change is priced by the tiers it passes and weighed by its days. Flat amounts are due for every tier up to the one with the highest
 * total.
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
    weighed = weighed.plus(after.minus(before).times(BigInt(days)).over(BigInt(periodDays)));
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

/** The amount of a prorated price, from its derivation alone. */
export function proratedAmountFrom(derivation: ProratedDerivation): Fraction {
  if (derivation.model === "prorated_units") {
    const { proratedUnits, perUnit, flat } = derivation;
    return readExact(proratedUnits).times(readExact(perUnit)).plus(readExact(flat));
  }
  if (derivation.isBelowZero) return NOTHING;
  const weighed = sum(derivation.changes.map((change) => changeAmount(change, derivation.periodDays)));
  return greatest(weighed, NOTHING).plus(sum(derivation.flats.map(readExact)));
}

/** The lines of a prorated price. */
export function explainProrated(derivation: ProratedDerivation): string[] {
  if (derivation.model === "prorated_units") {
    const { fullUnits, proratedUnits, perUnit, flat } = derivation;
    const amount = readableText(proratedAmountFrom(derivation));
    return [`${fullUnits} units, by days ${proratedUnits} × ${perUnit}${flatText(flat)} = ${amount}`];
  }
  if (derivation.isBelowZero) return ["the total is below zero"];
  const { changes, periodDays, flats } = derivation;
  return [
    ...changes.map((change) => explainChange(change, periodDays)),
    ...flats.filter((flat) => flat !== "0").map((flat) => `flat amount ${flat}`),
  ];
}

const explainChange = (change: ChangeStep, periodDays: number): string =>
  `${change.units} units: (${change.after} − ${change.before}) × ${change.days}/${periodDays} days = ${readableText(changeAmount(change, periodDays))}`;

/** The cost of a change for the days it lasts. */
const changeAmount = ({ before, after, days }: ChangeStep, periodDays: number): Fraction =>
  readExact(after).minus(readExact(before)).times(BigInt(days)).over(BigInt(periodDays));
