/** Coupons, for the modules that apply and use them. */
import type { Coupon, CouponLimit } from "@tallystick/core/catalog";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findLimitCodes } from "./describe-coupons.ts";
import { type CouponRow, fromRow } from "./row.ts";
import { findCouponsById, shareCoupon } from "./store.ts";

/** A coupon that can be applied, locked against changes until the transaction ends. */
export async function holdCoupon(
  tx: Tx,
  organizationId: string,
  code: string,
  now: Temporal.Instant,
): Promise<{ row: CouponRow; coupon: Coupon } | undefined> {
  const row = await shareCoupon(tx, organizationId, code);
  if (!row || isWithdrawn(row, now)) return undefined;
  const codesOf = await findLimitCodes(tx, organizationId, [row]);
  return { row, coupon: fromRow(row, codesOf(row)) };
}

/** Whether it is deleted, or expired by the real clock. */
export const isWithdrawn = ({ deleted_at, expiration_at }: CouponRow, now: Temporal.Instant): boolean =>
  deleted_at !== null || (expiration_at !== null && Temporal.Instant.compare(expiration_at, now) <= 0);

/** What each of these coupons may be used for, by id. */
export async function limitsOf(
  tx: Tx,
  organizationId: string,
  couponIds: readonly string[],
): Promise<ReadonlyMap<string, CouponLimit>> {
  const rows = await findCouponsById(tx, organizationId, couponIds);
  const codesOf = await findLimitCodes(tx, organizationId, rows);
  return new Map(rows.map((row) => [row.id, fromRow(row, codesOf(row)).limit]));
}
