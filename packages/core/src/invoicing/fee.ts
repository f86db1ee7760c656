/** One line of an invoice after pricing: whole minor units, and what coupons and taxes depend on. */
import { type Decimal, type Exact, type Fraction, fraction, type Minor, roundMinor } from "../money/index.ts";

/** A percentage: a rate of 20 is 20 %. */
export type Tax = { readonly code: string; readonly name: string; readonly rate: Decimal };

/** The object of a fee. An overridden plan has the code of its parent, so coupons of the parent apply to it too. */
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
  /** The display name on the invoice. */
  readonly label: string;
  readonly amountMinor: Minor;
  readonly item: FeeItem;
};

/** The amount of a fee after coupons. Each fee is rounded on its own, so their sum can differ from the invoice by some cents. */
export const afterCoupons = (amountMinor: Minor, couponShare: Exact): Minor =>
  roundMinor(fraction(amountMinor).minus(couponShare));

/** A fee after coupons: the base of its taxes. */
export type FeeBase = {
  readonly fee: Fee;
  readonly couponShare: Fraction;
  readonly base: Fraction;
  readonly taxes: readonly Tax[];
};
