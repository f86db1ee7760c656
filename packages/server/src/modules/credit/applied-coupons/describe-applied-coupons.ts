/** Applied coupons in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Static } from "@fastify/type-provider-typebox";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCouponsById } from "../../catalogue/index.ts";
import { findCustomersById } from "../../customers/index.ts";
import { findCreditsOfOwners, toApiCredit } from "../../invoicing/index.ts";
import type { AppliedCouponRow } from "./row.ts";
import { type ApiAppliedCoupon, type listedAppliedCouponSchema, toApiAppliedCoupon } from "./to-api.ts";

export async function describeAppliedCoupons(
  tx: Tx,
  organizationId: string,
  rows: readonly AppliedCouponRow[],
): Promise<Static<typeof listedAppliedCouponSchema>[]> {
  if (rows.length === 0) return [];
  const described = await describeRows(tx, organizationId, rows);
  const ids = rows.map(({ id }) => id);
  const credits = Map.groupBy(await findCreditsOfOwners(tx, organizationId, ids), ({ owner_id }) => owner_id);
  return described.map((coupon) => ({
    ...coupon,
    credits: (credits.get(coupon.svc_id) ?? []).map((credit) => toApiCredit(credit, credit)),
  }));
}

export async function describeAppliedCoupon(
  tx: Tx,
  organizationId: string,
  row: AppliedCouponRow,
): Promise<ApiAppliedCoupon> {
  const [described] = await describeRows(tx, organizationId, [row]);
  assert(described, "a row has a description");
  return described;
}

async function describeRows(
  tx: Tx,
  organizationId: string,
  rows: readonly AppliedCouponRow[],
): Promise<ApiAppliedCoupon[]> {
  const unique = (ids: readonly string[]) => [...new Set(ids)];
  const coupons = await findCouponsById(tx, organizationId, unique(rows.map(({ coupon_id }) => coupon_id)));
  const customers = await findCustomersById(
    alone(tx),
    organizationId,
    unique(rows.map(({ customer_id }) => customer_id)),
  );
  return rows.map((row) => {
    const coupon = coupons.find(({ id }) => id === row.coupon_id);
    const customer = customers.find(({ id }) => id === row.customer_id);
    assert(coupon && customer, "an applied coupon has a coupon and a customer");
    return toApiAppliedCoupon(row, coupon, customer);
  });
}
