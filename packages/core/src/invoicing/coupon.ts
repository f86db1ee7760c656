/** An applied coupon: its discount, its fees, and how much of it is left. */
import type { CouponLimit, CouponTerms, CouponValue } from "../catalog/index.ts";
import type { Minor } from "../money/index.ts";

/** For a fixed amount that is spent once, over as many invoices as needed. */
type AmountLeft = { readonly type: "amount"; readonly amountMinor: Minor };
/** Invoices that it can still be used on. */
type UsesLeft = { readonly type: "uses"; readonly count: number };
type Forever = { readonly type: "forever" };

export type CouponLeft = AmountLeft | UsesLeft | Forever;

/** Its discount and its rest. Only a fixed amount has an amount left. */
export type CouponState =
  | { readonly value: CouponValue; readonly left: UsesLeft | Forever }
  | { readonly value: Extract<CouponValue, { type: "fixed_amount" }>; readonly left: AmountLeft };

/** An active coupon of a customer. Once applied, it does not depend on the original coupon. */
export type AppliedCoupon = {
  readonly id: string;
  readonly code: string;
  readonly appliedAt: Temporal.Instant;
  readonly state: CouponState;
  readonly limit: CouponLimit;
};

/** The state of a coupon when it is applied: an amount lasts until it is spent; a percentage that applies once has one use. */
export function freshCoupon({ value, frequency }: CouponTerms): CouponState {
  switch (frequency.type) {
    case "once":
      return value.type === "fixed_amount"
        ? { value, left: { type: "amount", amountMinor: value.amountMinor } }
        : { value, left: { type: "uses", count: 1 } };
    case "recurring":
      return { value, left: { type: "uses", count: frequency.invoices } };
    case "forever":
      return { value, left: { type: "forever" } };
  }
}

/** A used-up coupon is terminated. */
export function isUsedUp(left: CouponLeft): boolean {
  switch (left.type) {
    case "amount":
      return left.amountMinor === 0n;
    case "uses":
      return left.count === 0;
    case "forever":
      return false;
  }
}
