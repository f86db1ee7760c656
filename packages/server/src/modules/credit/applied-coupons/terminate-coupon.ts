/** Removes a coupon from a customer. Earlier credits on invoices stay. */
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { customerErrors, holdCustomerByExternalId, type LockedCustomer } from "../../customers/index.ts";
import { appliedCouponErrors } from "./errors.ts";
import type { AppliedCouponRow } from "./row.ts";
import { isApplied, lockOfCustomer, terminateActive, updateAppliedCoupon } from "./store.ts";

/** A terminated coupon stays as it is. */
export async function terminateCoupon(
  tx: Tx,
  clock: Clock,
  organizationId: string,
  { externalCustomerId, id }: { externalCustomerId: string; id: string },
): Promise<AppliedCouponRow> {
  const locked = await holdCustomerByExternalId(tx, organizationId, externalCustomerId, clock);
  if (!locked) throw customerErrors.problem("customer_not_found");
  const row = await lockOfCustomer(tx, organizationId, { id, customerId: locked.row.id });
  if (!row) throw appliedCouponErrors.problem("applied_coupon_not_found");
  if (row.status === "terminated") return row;
  const ended = { status: "terminated", terminated_at: locked.now, updated_at: locked.now } as const;
  return updateAppliedCoupon(tx, organizationId, row.id, ended);
}

/** Terminates all coupons of a deleted customer. */
export const terminateCouponsOf = (tx: Tx, { row, now }: LockedCustomer): Promise<void> =>
  terminateActive(tx, row.organization_id, { customerId: row.id }, now);

/** What happens to applied coupons when their coupon changes. */
export const couponEffects = {
  hasBeenApplied: (tx: Tx, organizationId: string, couponId: string): Promise<boolean> =>
    isApplied(tx, organizationId, { couponId }),
  /** An invoice locks the rows that it spends. So each use either counts before the termination or does not happen. */
  onDeleted: (tx: Tx, organizationId: string, couponId: string, now: Temporal.Instant): Promise<void> =>
    terminateActive(tx, organizationId, { couponId }, now),
};
