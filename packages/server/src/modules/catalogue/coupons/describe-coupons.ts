/** Coupons in their API form, with their limits, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { CouponRow, LimitCodes } from "./row.ts";
import { findMetricCodes, findPlanCodes } from "./store.ts";
import { type ApiCoupon, toApiCoupon } from "./to-api.ts";

export async function describeCoupons(
  tx: Tx,
  organizationId: string,
  rows: readonly CouponRow[],
  now: Temporal.Instant,
): Promise<ApiCoupon[]> {
  if (rows.length === 0) return [];
  const codesOf = await findLimitCodes(tx, organizationId, rows);
  return rows.map((row) => toApiCoupon(row, codesOf(row), now));
}

export async function describeCoupon(
  tx: Tx,
  organizationId: string,
  row: CouponRow,
  now: Temporal.Instant,
): Promise<ApiCoupon> {
  const [coupon] = await describeCoupons(tx, organizationId, [row], now);
  assert(coupon, "a row has a description");
  return coupon;
}

/** The codes that each of these coupons is limited to. */
export async function findLimitCodes(
  tx: Tx,
  organizationId: string,
  rows: readonly CouponRow[],
): Promise<(row: CouponRow) => LimitCodes> {
  const ids = rows.map((row) => row.id);
  const plans = Map.groupBy(await findPlanCodes(tx, organizationId, ids), (link) => link.coupon_id);
  const metrics = Map.groupBy(await findMetricCodes(tx, organizationId, ids), (link) => link.coupon_id);
  const codes = (links: readonly { code: string }[] = []) => links.map((link) => link.code);
  return ({ id }) => ({ plans: codes(plans.get(id)), metrics: codes(metrics.get(id)) });
}
