/** A derivation as text that a finance person can check with a pocket calculator. */
import { fraction, minorDigits, readableText, readExact, roundTo } from "../money/index.ts";
import { amountFrom, changeAmount, percentageParts, percentageTierAmount, tierAmount } from "./amount-from.ts";
import type { FeeDerivation } from "./charge-fee.ts";
import type { AmountDerivation, PercentageSteps } from "./derivation.ts";
import type { TrueUpDerivation } from "./minimum.ts";

/** The lines of a fee: each step, then the rounding. */
export function explainFee({ pricing, currency, exact, amountMinor }: FeeDerivation): string[] {
  const amount = roundTo(
    fraction(BigInt(amountMinor)).over(10n ** BigInt(minorDigits(currency))),
    minorDigits(currency),
  );
  return [
    ...explainAmount(pricing),
    `= ${readableText(readExact(exact))} → ${amount.toFixed(minorDigits(currency))} ${currency}`,
  ];
}

/** The lines of an amount before rounding. */
export function explainAmount(derivation: AmountDerivation): string[] {
  switch (derivation.model) {
    case "standard":
      return [product(derivation.units, derivation.perUnit)];
    case "graduated":
      return derivation.tiers.map(
        (tier) => `${tierName(tier)}: ${unitsAtPrice(tier)}${flatText(tier.flat)} = ${readableText(tierAmount(tier))}`,
      );
    case "volume":
      return derivation.tier === null
        ? ["nothing used"]
        : [
            `all in ${tierName(derivation.tier)}: ${unitsAtPrice(derivation.tier)}${flatText(derivation.tier.flat)} = ${readableText(tierAmount(derivation.tier))}`,
          ];
    case "package":
      return [
        `${derivation.units} units, ${derivation.freeUnits} free, in packages of ${derivation.packageSize}: ${product(derivation.packages, derivation.perPackage)}`,
      ];
    case "percentage":
      return explainPercentage(derivation);
    case "graduated_percentage":
      return derivation.tiers.map(
        (tier) =>
          `${tierName(tier)}: ${tier.units} × ${tier.rate} %${flatText(tier.flat)} = ${readableText(percentageTierAmount(tier))}`,
      );
    case "prorated_standard":
    case "prorated_volume":
      return [
        `${derivation.fullUnits} units, by days ${derivation.proratedUnits} × ${derivation.perUnit}${flatText(derivation.flat)} = ${readableText(amountFrom(derivation))}`,
      ];
    case "prorated_graduated":
      return explainChanges(derivation);
    case "in_advance":
      return [
        ...explainAmount(derivation.with).map((line) => `with this event: ${line}`),
        ...explainAmount(derivation.without).map((line) => `without it: ${line}`),
      ];
  }
}

/** The lines of a true-up. */
export function explainTrueUp(derivation: TrueUpDerivation): string[] {
  const { type, minimumMinor, days, periodDays, requiredMinor, usedMinor } = derivation;
  const name = type === "commitment" ? "minimum commitment" : "minimum of the charge";
  return [
    `${name} ${minimumMinor} × ${days}/${periodDays} days = ${readableText(readExact(requiredMinor))}`,
    `less ${usedMinor} billed = ${readableText(readExact(requiredMinor).minus(BigInt(usedMinor)))}`,
  ];
}

function explainPercentage(steps: PercentageSteps): string[] {
  const { paidUnits, paidEvents, share, fixed } = percentageParts(steps);
  const adjustment = readExact(steps.adjustment);
  return [
    `${steps.units} less ${steps.freeUnits} free: ${readableText(paidUnits)} × ${steps.rate} % = ${readableText(share)}`,
    ...(fixed.isZero()
      ? []
      : [
          `${steps.events} events less ${steps.freeEvents} free: ${paidEvents} × ${steps.fixedAmount} = ${readableText(fixed)}`,
        ]),
    ...(adjustment.isZero()
      ? []
      : [`limits per transaction: ${adjustment.isAbove(0n) ? "+" : ""}${readableText(adjustment)}`]),
  ];
}

function explainChanges(derivation: Extract<AmountDerivation, { model: "prorated_graduated" }>): string[] {
  if (derivation.isBelowZero) return ["the total is below zero"];
  const { changes, periodDays, flats } = derivation;
  return [
    ...changes.map(
      (change) =>
        `${change.units} units: (${change.after} − ${change.before}) × ${change.days}/${periodDays} days = ${readableText(changeAmount(change, periodDays))}`,
    ),
    ...flats.filter((flat) => flat !== "0").map((flat) => `flat amount ${flat}`),
  ];
}

const product = (one: string, other: string): string =>
  `${one} × ${other} = ${readableText(readExact(one).times(readExact(other)))}`;
const unitsAtPrice = ({ units, perUnit }: { units: string; perUnit: string }): string => `${units} × ${perUnit}`;
const flatText = (flat: string): string => (flat === "0" ? "" : ` + ${flat}`);
const tierName = ({ from, to }: { from: string; to: string | null }): string =>
  to === null ? `${from} and more` : `${from}–${to}`;
