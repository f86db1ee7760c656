/** A derivation in the shape of a fee's `amount_details`. Decimals are exact text; counts and bounds are as the API shows them. */
import { exactText, fraction, readExact } from "../money/index.ts";
import { percentageParts, percentageTierAmount, tierAmount } from "./amount-from.ts";
import type { AmountDerivation, PercentageSteps, PercentageTierStep, TierStep } from "./derivation.ts";

type Detail = string | number | null;
export type AmountDetails = Readonly<Record<string, Detail | readonly Readonly<Record<string, Detail>>[]>>;

/** What the API shows of how an amount came about; nothing for models whose unit price says it all. */
export function amountDetails(derivation: AmountDerivation): AmountDetails {
  switch (derivation.model) {
    case "graduated":
      return { graduated_ranges: derivation.tiers.map(tierDetails) };
    case "graduated_percentage":
      return { graduated_percentage_ranges: derivation.tiers.map(percentageTierDetails) };
    case "volume":
      return derivation.tier === null ? {} : volumeDetails(derivation.tier);
    case "package":
      return {
        free_units: derivation.freeUnits,
        paid_units: exactText(paidUnits(derivation)),
        per_package_size: Number(derivation.packageSize),
        per_package_unit_amount: derivation.perPackage,
      };
    case "percentage":
      return percentageDetails(derivation);
    case "in_advance":
      return amountDetails(derivation.with);
    case "standard":
    case "prorated_standard":
    case "prorated_volume":
    case "prorated_graduated":
      return {};
  }
}

function tierDetails(tier: TierStep) {
  return {
    units: tier.units,
    from_value: Number(tier.from),
    to_value: tier.to === null ? null : Number(tier.to),
    flat_unit_amount: tier.flat,
    per_unit_amount: tier.perUnit,
    per_unit_total_amount: exactText(tierAmount(tier).minus(readExact(tier.flat))),
    total_with_flat_amount: exactText(tierAmount(tier)),
  };
}

function percentageTierDetails(tier: PercentageTierStep) {
  return {
    units: tier.units,
    from_value: Number(tier.from),
    to_value: tier.to === null ? null : Number(tier.to),
    flat_unit_amount: tier.flat,
    rate: tier.rate,
    per_unit_total_amount: exactText(percentageTierAmount(tier).minus(readExact(tier.flat))),
    total_with_flat_amount: exactText(percentageTierAmount(tier)),
  };
}

function volumeDetails(tier: TierStep) {
  const { flat_unit_amount, per_unit_amount, per_unit_total_amount } = tierDetails(tier);
  return { flat_unit_amount, per_unit_amount, per_unit_total_amount };
}

function percentageDetails(steps: PercentageSteps) {
  const parts = percentageParts(steps);
  return {
    units: steps.units,
    free_units: steps.freeUnits,
    paid_units: exactText(parts.paidUnits),
    free_events: Number(steps.freeEvents),
    paid_events: Number(parts.paidEvents),
    rate: steps.rate,
    per_unit_total_amount: exactText(parts.share),
    fixed_fee_unit_amount: steps.fixedAmount,
    fixed_fee_total_amount: exactText(parts.fixed),
    min_max_adjustment_total_amount: steps.adjustment,
  };
}

function paidUnits({ units, freeUnits }: { units: string; freeUnits: string }) {
  const paid = readExact(units).minus(readExact(freeUnits));
  return paid.isBelow(0n) ? fraction(0n) : paid;
}
