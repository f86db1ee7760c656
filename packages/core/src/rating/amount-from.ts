/** Computes an amount again from its derivation alone. */
import { type Fraction, fraction, greatest, NOTHING, readExact, sum } from "../money/index.ts";
import type { AmountDerivation, ChangeStep, PercentageSteps, PercentageTierStep, TierStep } from "./derivation.ts";

/** The exact amount in major units that a derivation stands for. */
export function amountFrom(derivation: AmountDerivation): Fraction {
  switch (derivation.model) {
    case "standard":
      return readExact(derivation.units).times(readExact(derivation.perUnit));
    case "graduated":
      return sum(derivation.tiers.map(tierAmount));
    case "volume":
      return derivation.tier === null ? NOTHING : tierAmount(derivation.tier);
    case "package":
      return readExact(derivation.packages).times(readExact(derivation.perPackage));
    case "percentage":
      return percentageAmount(derivation);
    case "graduated_percentage":
      return sum(derivation.tiers.map(percentageTierAmount));
    case "prorated_standard":
    case "prorated_volume":
      return readExact(derivation.proratedUnits).times(readExact(derivation.perUnit)).plus(readExact(derivation.flat));
    case "prorated_graduated": {
      if (derivation.isBelowZero) return NOTHING;
      const weighed = sum(derivation.changes.map((change) => changeAmount(change, derivation.periodDays)));
      return greatest(weighed, NOTHING).plus(sum(derivation.flats.map(readExact)));
    }
    case "in_advance":
      return amountFrom(derivation.with).minus(amountFrom(derivation.without));
  }
}

/** What the units of a tier cost with its flat amount. */
export const tierAmount = ({ units, perUnit, flat }: TierStep): Fraction =>
  readExact(units).times(readExact(perUnit)).plus(readExact(flat));

/** The same of a tier of percentages. */
export const percentageTierAmount = ({ units, rate, flat }: PercentageTierStep): Fraction =>
  percent(readExact(units), rate).plus(readExact(flat));

/** What a change costs for the days it lasts. */
export const changeAmount = ({ before, after, days }: ChangeStep, periodDays: number): Fraction =>
  readExact(after).minus(readExact(before)).times(BigInt(days)).over(BigInt(periodDays));

/** The parts of a percentage price: the share of the paid units, and the fixed amounts of the paid events. */
export function percentageParts({ units, events, freeUnits, freeEvents, rate, fixedAmount }: PercentageSteps) {
  const paidUnits = readExact(units).minus(readExact(freeUnits));
  const paidEvents = BigInt(events) - BigInt(freeEvents);
  return {
    paidUnits,
    paidEvents,
    share: percent(paidUnits, rate),
    fixed: fraction(paidEvents).times(readExact(fixedAmount)),
  };
}

function percentageAmount(steps: PercentageSteps): Fraction {
  const { share, fixed } = percentageParts(steps);
  return share.plus(fixed).plus(readExact(steps.adjustment));
}

const percent = (amount: Fraction, rate: string): Fraction => amount.times(readExact(rate)).over(100n);
