/** The discounts of a customer's coupons on the fees of an invoice, fee by fee. */
import type { CouponLimit } from "../catalog/index.ts";
import {
  type Currency,
  type Fraction,
  fraction,
  least,
  type Minor,
  minor,
  NOTHING,
  roundMinor,
  sum,
} from "../money/index.ts";
import { type AppliedCoupon, type CouponLeft, type CouponState, isUsedUp } from "./coupon.ts";
import type { Fee, FeeItem } from "./fee.ts";

export type CouponShare = {
  readonly feeId: string;
  /** What earlier coupons left of the fee. */
  readonly remaining: Fraction;
  /** Exact, because taxes are based on it. Five decimals are stored and shown. */
  readonly share: Fraction;
};

export type CouponUse = {
  readonly coupon: AppliedCoupon;
  readonly base: Fraction;
  readonly creditMinor: Minor;
  readonly shares: readonly CouponShare[];
  /** What is left of the coupon afterwards. */
  readonly left: CouponLeft;
  readonly isTerminated: boolean;
};

/** A fixed amount, or a percentage, before it is limited to the base. */
export type Discount =
  | { readonly type: "fixed"; readonly amountMinor: Minor }
  | { readonly type: "percentage"; readonly rate: Fraction };

const RANKS: Readonly<Record<CouponLimit["type"], number>> = { metrics: 0, plans: 1, none: 2 };

/**
 * Applies the coupons in order: those for metrics, those for plans, the others, each by time of application. A coupon that gives no
 * discount (no fee of its own, no whole cent, another currency) is not used, and stays available.
 */
export function applyCoupons(
  fees: readonly Fee[],
  coupons: readonly AppliedCoupon[],
  currency: Currency,
): readonly CouponUse[] {
  const uses: CouponUse[] = [];
  let open = fees.map((fee) => ({ fee, remaining: fraction(fee.amountMinor) }));
  for (const coupon of coupons.filter(({ state }) => isIn(currency, state)).toSorted(compareCoupons)) {
    const targeted = open.filter(({ fee }) => isTargeted(fee.item, coupon.limit));
    const base = sum(targeted.map(({ remaining }) => remaining));
    const creditMinor = couponCredit(discountOf(coupon.state), base);
    if (creditMinor === 0n) continue;
    const shares = targeted.map(({ fee, remaining }) => ({
      feeId: fee.id,
      remaining,
      share: couponShare(remaining, creditMinor, base),
    }));
    const taken = new Map(shares.map(({ feeId, share }) => [feeId, share]));
    open = open.map(({ fee, remaining }) => ({ fee, remaining: remaining.minus(taken.get(fee.id) ?? NOTHING) }));
    const left = leftAfter(coupon.state.left, creditMinor);
    uses.push({ coupon, base, creditMinor, shares, left, isTerminated: isUsedUp(left) });
  }
  return uses;
}

/** Rounded once and never above the base, which may be a fraction after earlier coupons: 100 % of 66.67 is 66. */
export function couponCredit(discount: Discount, base: Fraction): Minor {
  const rounded = roundMinor(least(requestedCredit(discount, base), base));
  return base.isBelow(rounded) ? minor(rounded - 1n) : rounded;
}

function requestedCredit(discount: Discount, base: Fraction): Fraction {
  switch (discount.type) {
    case "fixed":
      return fraction(discount.amountMinor);
    case "percentage":
      return base.times(discount.rate).over(100n);
  }
}

/** Each fee bears a credit in proportion to its rest: 500 off 17000, with 333.33 for this fee, are 9.80. */
export const couponShare = (remaining: Fraction, creditMinor: Minor, base: Fraction): Fraction =>
  remaining.times(creditMinor).over(base);

/** An amount that is spent once can give only its rest. */
export function discountOf({ value, left }: CouponState): Discount {
  if (value.type === "percentage") return { type: "percentage", rate: fraction(value.rate) };
  return { type: "fixed", amountMinor: left.type === "amount" ? left.amountMinor : value.amountMinor };
}

const isIn = (currency: Currency, { value }: CouponState): boolean =>
  value.type === "percentage" || value.currency === currency;

function isTargeted(item: FeeItem, limit: CouponLimit): boolean {
  switch (limit.type) {
    case "none":
      return true;
    case "plans":
      return "planCode" in item && limit.codes.includes(item.planCode);
    case "metrics":
      return item.kind === "charge" && limit.codes.includes(item.metricCode);
  }
}

/** A use counts invoices, not amounts: a coupon of 1000 that takes off 700 has one use. */
function leftAfter(left: CouponLeft, creditMinor: Minor): CouponLeft {
  switch (left.type) {
    case "amount":
      return { type: "amount", amountMinor: minor(left.amountMinor - creditMinor) };
    case "uses":
      return { type: "uses", count: left.count - 1 };
    case "forever":
      return left;
  }
}

function compareCoupons(one: AppliedCoupon, other: AppliedCoupon): number {
  return (
    RANKS[one.limit.type] - RANKS[other.limit.type] ||
    Temporal.Instant.compare(one.appliedAt, other.appliedAt) ||
    (one.id < other.id ? -1 : 1)
  );
}
