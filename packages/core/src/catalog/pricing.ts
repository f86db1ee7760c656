/** The six charge models, which price a quantity. Prices are exact decimals in major units. */
import type { Decimal } from "../money/index.ts";

export type StandardPricing = { readonly model: "standard"; readonly amount: Decimal };

/** Units above the previous tier's `to` and up to this one's. `from` is the user's value: the previous `to`, or one more. */
export type Tier = {
  readonly from: bigint;
  /** null: no upper end. Only the last tier has none. */
  readonly to: bigint | null;
  readonly perUnit: Decimal;
  readonly flat: Decimal;
};

/** Each unit is priced by the tier it falls in. */
export type GraduatedPricing = { readonly model: "graduated"; readonly tiers: readonly Tier[] };

/** All units are priced by the tier the total falls in. */
export type VolumePricing = { readonly model: "volume"; readonly tiers: readonly Tier[] };

export type PackagePricing = {
  readonly model: "package";
  readonly amount: Decimal;
  readonly freeUnits: bigint;
  readonly packageSize: bigint;
};

/** A percentage of the value of each event, with allowances and per-event limits. */
export type PercentagePricing = {
  readonly model: "percentage";
  /** In percent: 1.3 is 1.3 %. */
  readonly rate: Decimal;
  /** Due for each paid event. */
  readonly fixedAmount: Decimal;
  readonly freeEvents: bigint | null;
  readonly freeUnits: Decimal | null;
  readonly perTransactionMin: Decimal | null;
  readonly perTransactionMax: Decimal | null;
};

export type PercentageTier = {
  readonly from: bigint;
  readonly to: bigint | null;
  readonly rate: Decimal;
  readonly flat: Decimal;
};

export type GraduatedPercentagePricing = {
  readonly model: "graduated_percentage";
  readonly tiers: readonly PercentageTier[];
};

export type Pricing =
  | StandardPricing
  | GraduatedPricing
  | VolumePricing
  | PackagePricing
  | PercentagePricing
  | GraduatedPercentagePricing;

export type ChargeModel = Pricing["model"];

export const CHARGE_MODELS = [
  "standard",
  "graduated",
  "volume",
  "package",
  "percentage",
  "graduated_percentage",
] as const satisfies ChargeModel[];
