/** One line of a bill as it comes from pricing: whole minor units, and what coupons and taxes look at. */
import type { Decimal, Fraction, Minor } from "../money/index.ts";

/** A percentage: a rate of 20 is 20 %. */
export type Tax = { readonly code: string; readonly name: string; readonly rate: Decimal };

/** What a fee is for. A plan with overrides has the code of its parent, so coupons of the parent reach it too. */
export type FeeItem =
  | { readonly kind: "subscription"; readonly planCode: string; readonly planTaxes: readonly Tax[] }
  | {
      readonly kind: "charge";
      readonly planCode: string;
      readonly metricCode: string;
      readonly chargeTaxes: readonly Tax[];
      readonly planTaxes: readonly Tax[];
    }
  | {
      readonly kind: "commitment";
      readonly planCode: string;
      readonly commitmentTaxes: readonly Tax[];
      readonly planTaxes: readonly Tax[];
    }
  | { readonly kind: "add_on"; readonly feeTaxes: readonly Tax[]; readonly addOnTaxes: readonly Tax[] }
  | { readonly kind: "credit" };

export type Fee = {
  /** Unique on its invoice. */
  readonly id: string;
  /** What the bill calls it. */
  readonly label: string;
  readonly amountMinor: Minor;
  readonly item: FeeItem;
};

/** A fee after coupons: what its taxes are computed on. */
export type FeeBase = {
  readonly fee: Fee;
  readonly couponShare: Fraction;
  readonly base: Fraction;
  readonly taxes: readonly Tax[];
};
