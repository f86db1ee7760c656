/** All SQL on applied_coupons. */

import type { Insertable, Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { idsByExternalId } from "../../customers/index.ts";
import type { AppliedCouponRow } from "./row.ts";

const all = (tx: Tx, organizationId: string) =>
  tx.selectFrom("applied_coupons").selectAll().where("organization_id", "=", organizationId);

export const insertAppliedCoupon = (
  tx: Tx,
  organizationId: string,
  row: Omit<Insertable<DB["applied_coupons"]>, "organization_id">,
): Promise<AppliedCouponRow> =>
  tx
    .insertInto("applied_coupons")
    .values({ ...row, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateAppliedCoupon = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["applied_coupons"]>,
): Promise<AppliedCouponRow> =>
  tx
    .updateTable("applied_coupons")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const findActive = batchedRows<AppliedCouponRow>(
  (tx, organizationId, customerIds) => active(tx, organizationId, customerIds).execute(),
  ({ customer_id }) => customer_id,
);

/** Deleting a coupon and spending it wait for each other. */
export const lockActive = batchedRows<AppliedCouponRow>(
  (tx, organizationId, customerIds) => active(tx, organizationId, customerIds).orderBy("id").forUpdate().execute(),
  ({ customer_id }) => customer_id,
);

const active = (tx: Tx, organizationId: string, customerIds: readonly string[]) =>
  all(tx, organizationId).where("customer_id", "=", anyOf(customerIds)).where("status", "=", "active");

const byId = (tx: Tx, organizationId: string, ids: readonly string[]) =>
  all(tx, organizationId).where("id", "=", anyOf(ids)).orderBy("id");

export const findAppliedCoupons = (
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<AppliedCouponRow[]> => byId(tx, organizationId, ids).execute();

export const lockAppliedCoupons = (
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<AppliedCouponRow[]> => byId(tx, organizationId, ids).forUpdate().execute();

export const lockOfCustomer = async (
  tx: Tx,
  organizationId: string,
  { id, customerId }: { id: string; customerId: string },
): Promise<AppliedCouponRow | undefined> =>
  isUuid(id)
    ? all(tx, organizationId).where("id", "=", id).where("customer_id", "=", customerId).forUpdate().executeTakeFirst()
    : undefined;

/** Whether a coupon was applied, to one customer or to any. */
export async function isApplied(
  tx: Tx,
  organizationId: string,
  { couponId, customerId }: { couponId: string; customerId?: string },
): Promise<boolean> {
  const of = all(tx, organizationId).clearSelect().select("id").where("coupon_id", "=", couponId);
  const found = customerId === undefined ? of : of.where("customer_id", "=", customerId);
  return (await found.limit(1).executeTakeFirst()) !== undefined;
}

/** Terminates the applied coupons of a deleted coupon or customer. */
export async function terminateActive(
  tx: Tx,
  organizationId: string,
  of: { couponId: string } | { customerId: string },
  now: Temporal.Instant,
): Promise<void> {
  const update = tx
    .updateTable("applied_coupons")
    .set({ status: "terminated", terminated_at: now, updated_at: now })
    .where("organization_id", "=", organizationId)
    .where("status", "=", "active");
  const requested =
    "couponId" in of ? update.where("coupon_id", "=", of.couponId) : update.where("customer_id", "=", of.customerId);
  await requested.execute();
}

/**
 * Those of deleted customers are found only by their own id.
 * Indexes: applied_coupons_list, and applied_coupons_customer, applied_coupons_coupon for one customer or coupon.
 */
export function pageOfAppliedCoupons(
  tx: Tx,
  organizationId: string,
  list: ListRequest<"external_customer_id" | "coupon_code">,
) {
  const [externalId] = list.filters.external_customer_id ?? [];
  const [couponCode] = list.filters.coupon_code ?? [];
  const query = all(tx, organizationId)
    .$if(externalId !== undefined, (some) =>
      some.where("customer_id", "in", idsByExternalId(organizationId, externalId ?? "", { deleted: "left_out" })),
    )
    .$if(couponCode !== undefined, (some) =>
      some.where("coupon_id", "in", (from) =>
        from
          .selectFrom("coupons")
          .select("coupons.id")
          .where("coupons.organization_id", "=", organizationId)
          .where("coupons.code", "=", couponCode ?? ""),
      ),
    );
  return pageOf(query, list, { sorts: { created_at: [byInstant("created_at")] }, filters: { status: "status" } });
}
