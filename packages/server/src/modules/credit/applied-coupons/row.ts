/** Maps an applied coupon between the database and core. */
import assert from "node:assert/strict";
import type { CouponFrequency, CouponLimit, CouponTerms } from "@tallystick/core/catalog";
import { type AppliedCoupon, freshCoupon } from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import type { Selectable } from "kysely";
import type { DB } from "../../../platform/postgres/schema.ts";

export type AppliedCouponRow = Selectable<DB["applied_coupons"]>;

type CouponState = AppliedCoupon["state"];
type CouponLeft = CouponState["left"];

/** The columns at the time of application. */
export function toColumns(terms: CouponTerms) {
  const { value, left } = freshCoupon(terms);
  const { frequency } = terms;
  return {
    amount_cents: value.type === "fixed_amount" ? value.amountMinor : null,
    amount_currency: value.type === "fixed_amount" ? value.currency : null,
    percentage_rate: value.type === "percentage" ? value.rate : null,
    frequency: frequency.type,
    frequency_duration: durationOf(frequency),
    ...toLeftColumns(left),
  };
}

const durationOf = (frequency: CouponFrequency): number | null =>
  frequency.type === "recurring" ? frequency.invoices : null;

export const toLeftColumns = (left: CouponLeft) => ({
  amount_left_cents: left.type === "amount" ? left.amountMinor : null,
  uses_left: left.type === "uses" ? left.count : null,
});

export const toAppliedCoupon = (row: AppliedCouponRow, code: string, limit: CouponLimit): AppliedCoupon => ({
  id: row.id,
  code,
  appliedAt: row.created_at,
  state: toState(row),
  limit,
});

function toState(row: AppliedCouponRow): CouponState {
  const left = toLeft(row);
  if (row.percentage_rate !== null) {
    assert(left.type !== "amount", "a percentage has no amount left");
    return { value: { type: "percentage", rate: row.percentage_rate }, left };
  }
  assert(row.amount_cents !== null && row.amount_currency !== null, "a coupon has a percentage or an amount");
  const currencyOf = currency(row.amount_currency);
  const value = { type: "fixed_amount", amountMinor: minor(row.amount_cents), currency: currencyOf } as const;
  // The branches have different types: only an amount coupon has an amount left.
  return left.type === "amount" ? { value, left } : { value, left };
}

export function toLeft({ amount_left_cents, uses_left }: AppliedCouponRow): CouponLeft {
  if (amount_left_cents !== null) return { type: "amount", amountMinor: minor(amount_left_cents) };
  return uses_left === null ? { type: "forever" } : { type: "uses", count: uses_left };
}
