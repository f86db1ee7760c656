/** Bills with their subscriptions, for the code that makes invoices. */
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
  /** First start of this customer's subscriptions with this external id. */
  firstStartedAt: Temporal.Instant;
  occurredAt: Temporal.Instant;
  /** On the real clock. */
  writtenAt: Temporal.Instant;
  /** Test clock of its customer. */
  testClockId: string | null;
  successorId: string | null;
  /** The plan that replaced it at once; null if there is none, or if it was replaced at the end of a period. */
  successorPlanId: string | null;
  /** Whether its plan, or the parent of its plan, is deleted. Absent in a preview and in a recomputation. */
  isPlanDeleted?: boolean;
  bill: Bill;
};

/** In the order in which the subscriptions were created. */
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
  assert(row.first_started_at, "a billed subscription has begun");
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
