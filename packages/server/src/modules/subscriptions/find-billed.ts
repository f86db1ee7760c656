/** Bills with the subscriptions that they are of, for whoever makes invoices of them. */
import assert from "node:assert/strict";
import type { Bill } from "@tallystick/core/subscription";
import { type Batch, batchedRows } from "../../platform/postgres/batch.ts";
import { type BillRow, toBill } from "./row.ts";
import { findBills } from "./store.ts";

export type BilledSubscription = {
  billId: string;
  subscriptionId: string;
  externalId: string;
  planId: string;
  /** Of this customer's subscriptions with this external id. */
  firstStartedAt: Temporal.Instant;
  occurredAt: Temporal.Instant;
  /** On the real clock. */
  writtenAt: Temporal.Instant;
  /** Of its customer. */
  testClockId: string | null;
  successorId: string | null;
  /** The plan that took its place at once; null: none did, or it took its place at the end of a period. */
  successorPlanId: string | null;
  /** Its plan, or the one that its plan was made from. Left out by a preview, and where it is only computed again. */
  isPlanDeleted?: boolean;
  bill: Bill;
};

/** In the order in which the subscriptions were made. */
export async function findBilledSubscriptions(
  batch: Batch,
  organizationId: string,
  billIds: readonly string[],
): Promise<BilledSubscription[]> {
  const rows = await findBatchedBills(batch, organizationId, billIds);
  return rows.map(toBilled);
}

const findBatchedBills = batchedRows(findBills, ({ id }) => id);

function toBilled(row: BillRow): BilledSubscription {
  assert(row.first_started_at, "what is billed has begun");
  return {
    billId: row.id,
    subscriptionId: row.subscription_id,
    externalId: row.external_id,
    planId: row.plan_id,
    firstStartedAt: row.first_started_at,
    occurredAt: row.occurred_at,
    writtenAt: row.created_at,
    testClockId: row.test_clock_id,
    successorId: row.successor_id,
    successorPlanId: row.successor_plan_id,
    isPlanDeleted: row.is_plan_deleted,
    bill: toBill(row.reason, row.windows),
  };
}
