/** All SQL on coupons, coupon_plans and coupon_billable_metrics. */

import { type Insertable, sql } from "kysely";
import type { ListRequest } from "../../../http/list-query.ts";
import { CODED_COLUMNS, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { CouponRow } from "./row.ts";

const live = (tx: Tx, organizationId: string) =>
  tx.selectFrom("coupons").selectAll().where("organization_id", "=", organizationId).where("deleted_at", "is", null);

export const findCoupon = (tx: Tx, organizationId: string, code: string): Promise<CouponRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).executeTakeFirst();

/** Locks the coupon and its limit against other changes until the transaction ends. */
export const lockCoupon = (tx: Tx, organizationId: string, code: string): Promise<CouponRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).forUpdate().executeTakeFirst();

/** Blocks changes and deletion of the coupon until the transaction ends. */
export const shareCoupon = (tx: Tx, organizationId: string, code: string): Promise<CouponRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).forShare().executeTakeFirst();

/** Includes deleted coupons: applied coupons show their names. */
export const findCouponsById = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<CouponRow[]> =>
  tx
    .selectFrom("coupons")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .execute();

export const pageOfCoupons = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(live(tx, organizationId), list, CODED_COLUMNS);

export const insertCoupon = (
  tx: Tx,
  organizationId: string,
  coupon: Omit<Insertable<DB["coupons"]>, "organization_id">,
): Promise<CouponRow> =>
  tx
    .insertInto("coupons")
    .values({ ...coupon, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateCoupon = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Partial<CouponRow>,
): Promise<CouponRow> =>
  tx
    .updateTable("coupons")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The codes of the live plans of each coupon, oldest plan first. */
export const findPlanCodes = (tx: Tx, organizationId: string, couponIds: readonly string[]) =>
  tx
    .selectFrom("coupon_plans")
    .innerJoin("plans", (join) =>
      join
        .onRef("plans.organization_id", "=", "coupon_plans.organization_id")
        .onRef("plans.id", "=", "coupon_plans.plan_id")
        .on("plans.deleted_at", "is", null),
    )
    .select(["coupon_plans.coupon_id", "plans.code"])
    .where("coupon_plans.organization_id", "=", organizationId)
    .where("coupon_plans.coupon_id", "=", anyOf(couponIds))
    .orderBy("plans.created_at")
    .orderBy("plans.id")
    .execute();

/** The codes of the live billable metrics of each coupon, oldest metric first. */
export const findMetricCodes = (tx: Tx, organizationId: string, couponIds: readonly string[]) =>
  tx
    .selectFrom("coupon_billable_metrics")
    .innerJoin("billable_metrics", (join) =>
      join
        .onRef("billable_metrics.organization_id", "=", "coupon_billable_metrics.organization_id")
        .onRef("billable_metrics.id", "=", "coupon_billable_metrics.billable_metric_id")
        .on("billable_metrics.deleted_at", "is", null),
    )
    .select(["coupon_billable_metrics.coupon_id", "billable_metrics.code"])
    .where("coupon_billable_metrics.organization_id", "=", organizationId)
    .where("coupon_billable_metrics.coupon_id", "=", anyOf(couponIds))
    .orderBy("billable_metrics.created_at")
    .orderBy("billable_metrics.id")
    .execute();

/** As one list: an organization may have more plans than a statement may have parameters. */
export async function replacePlans(
  tx: Tx,
  organizationId: string,
  couponId: string,
  planIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom("coupon_plans")
    .where("organization_id", "=", organizationId)
    .where("coupon_id", "=", couponId)
    .execute();
  await sql`
    insert into coupon_plans (organization_id, coupon_id, plan_id)
    select ${organizationId}::uuid, ${couponId}::uuid, unnest(${planIds}::uuid[])`.execute(tx);
}

export async function replaceMetrics(
  tx: Tx,
  organizationId: string,
  couponId: string,
  metricIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom("coupon_billable_metrics")
    .where("organization_id", "=", organizationId)
    .where("coupon_id", "=", couponId)
    .execute();
  await sql`
    insert into coupon_billable_metrics (organization_id, coupon_id, billable_metric_id)
    select ${organizationId}::uuid, ${couponId}::uuid, unnest(${metricIds}::uuid[])`.execute(tx);
}
