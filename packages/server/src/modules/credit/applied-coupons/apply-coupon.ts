/** POST /applied_coupons: applies a coupon to a customer, with its own terms or with terms agreed for this customer. */
import { type CouponLimit, type Members, overrideCoupon } from "@tallystick/core/catalog";
import { accept } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { couponErrors, holdCoupon, limitsOf } from "../../catalogue/index.ts";
import {
  customerErrors,
  holdCustomerByExternalId,
  type LockedCustomer,
  updateCustomer,
} from "../../customers/index.ts";
import { post } from "../../ledger/index.ts";
import { appliedCouponErrors } from "./errors.ts";
import { type AppliedCouponRow, toColumns } from "./row.ts";
import { findActive, insertAppliedCoupon, isApplied } from "./store.ts";

export type ApplyRequest = { externalCustomerId: string; couponCode: string; overrides: Members };

/** Locks the customer before the coupon, so that concurrent applications run one after the other. */
export async function applyCoupon(
  tx: Tx,
  clock: Clock,
  organizationId: string,
  { externalCustomerId, couponCode, overrides }: ApplyRequest,
): Promise<AppliedCouponRow> {
  const locked = await holdCustomerByExternalId(tx, organizationId, externalCustomerId, clock);
  if (!locked) throw customerErrors.problem("customer_not_found", [externalCustomerId]);
  const customerId = locked.row.id;
  const found = await holdCoupon(tx, organizationId, couponCode, clock.now());
  if (!found) throw couponErrors.problem("coupon_not_found", [couponCode]);
  const { row: coupon, coupon: definition } = found;
  const isRepeat = !coupon.reusable && (await isApplied(tx, organizationId, { couponId: coupon.id, customerId }));
  if (isRepeat) throw appliedCouponErrors.invalid("coupon", "coupon_is_not_reusable");
  if (await overlaps(tx, organizationId, customerId, definition.limit))
    throw appliedCouponErrors.problem("plan_overlapping");
  const columns = toColumns(accept(overrideCoupon(definition, overrides)));
  await keepCurrency(tx, locked, columns.amount_currency);
  const { now } = locked;
  const row = await insertAppliedCoupon(tx, organizationId, {
    ...columns,
    id: newId(),
    customer_id: customerId,
    coupon_id: coupon.id,
    status: "active",
    created_at: now,
    updated_at: now,
  });
  await issue(tx, row, clock);
  return row;
}

/** If two coupons covered the same plan or metric, the order of use would change the amount. */
async function overlaps(tx: Tx, organizationId: string, customerId: string, limit: CouponLimit): Promise<boolean> {
  if (limit.type === "none") return false;
  const couponIds = (await findActive(alone(tx), organizationId, [customerId])).map(({ coupon_id }) => coupon_id);
  const limits = [...(await limitsOf(tx, organizationId, couponIds)).values()];
  return limits.some(
    (other) => other.type === limit.type && other.codes.some((code: string) => limit.codes.includes(code)),
  );
}

/** A customer has one currency. The first amount sets it. */
async function keepCurrency(tx: Tx, { row, now }: LockedCustomer, currency: string | null): Promise<void> {
  if (currency === null || currency === row.currency) return;
  if (row.currency !== null) throw appliedCouponErrors.invalid("currency", "currencies_does_not_match");
  await updateCustomer(tx, row.organization_id, row.id, { currency, updated_at: now });
}

/** Only a coupon that is spent once has a balance in the ledger. */
async function issue(tx: Tx, row: AppliedCouponRow, clock: Clock): Promise<void> {
  if (row.amount_left_cents === null || row.amount_currency === null) return;
  await post(alone(tx), row.organization_id, {
    ownerId: row.id,
    customerId: row.customer_id,
    currency: row.amount_currency,
    from: "issued",
    to: "coupon",
    amountCents: row.amount_left_cents,
    source: { kind: "applied_coupon", id: row.id },
    occurredAt: row.created_at,
    now: clock.now(),
  });
}
