/**
 * How an amount came about, as plain data: it survives JSON, and the amount can be computed again from it alone.
 * Numbers are exact text ("0.375", "-55/3"); amounts are in major units unless a name says minor.
 */

/** Units inside one tier. `to` is null for the tier without an upper end. */
export type TierStep = {
  readonly from: string;
  readonly to: string | null;
  readonly units: string;
  readonly perUnit: string;
  readonly flat: string;
};

/** Units inside one tier of percentages. */
export type PercentageTierStep = {
  readonly from: string;
  readonly to: string | null;
  readonly units: string;
  readonly rate: string;
  readonly flat: string;
};

/** A change of the running total, priced by the tiers it passes and weighed by the days it lasts. */
export type ChangeStep = {
  readonly units: string;
  readonly days: number;
  /** What the total cost before and after the change, for a full period and without flat amounts. */
  readonly before: string;
  readonly after: string;
};

export type PercentageSteps = {
  readonly model: "percentage";
  readonly units: string;
  readonly events: string;
  readonly freeUnits: string;
  readonly freeEvents: string;
  readonly rate: string;
  readonly fixedAmount: string;
  /** What limits per transaction added to (or took from) the percentage and the fixed amounts. */
  readonly adjustment: string;
};

export type PricingDerivation =
  | { readonly model: "standard"; readonly units: string; readonly perUnit: string }
  | { readonly model: "graduated"; readonly tiers: readonly TierStep[] }
  | { readonly model: "volume"; readonly tier: TierStep | null }
  | {
      readonly model: "package";
      readonly units: string;
      readonly freeUnits: string;
      readonly packageSize: string;
      readonly packages: string;
      readonly perPackage: string;
    }
  | PercentageSteps
  | { readonly model: "graduated_percentage"; readonly tiers: readonly PercentageTierStep[] };

/** Units that were there for a part of the period: full units choose the tier, prorated units are priced. */
export type ProratedDerivation =
  | {
      readonly model: "prorated_standard" | "prorated_volume";
      readonly fullUnits: string;
      readonly proratedUnits: string;
      readonly perUnit: string;
      readonly flat: string;
    }
  | {
      readonly model: "prorated_graduated";
      readonly periodDays: number;
      readonly changes: readonly ChangeStep[];
      /** Flat amounts of every tier up to the one that held the highest total. */
      readonly flats: readonly string[];
      /** A total below zero costs nothing at all. */
      readonly isBelowZero: boolean;
    };

/** The price of one event billed at once: what everything so far costs with it, less what it cost without it. */
export type InAdvanceDerivation = {
  readonly model: "in_advance";
  readonly without: PricingDerivation;
  readonly with: PricingDerivation;
};

export type AmountDerivation = PricingDerivation | ProratedDerivation | InAdvanceDerivation;
