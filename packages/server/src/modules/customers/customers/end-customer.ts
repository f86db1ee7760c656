/** The last step of a deletion: coupons and wallets end once the customer's last invoices are final and have used them. */
import assert from "node:assert/strict";
import { type DueKind, type DueRegistry, scheduleDue } from "../../../jobs/due.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp } from "../test-clocks/index.ts";
import type { LockedCustomer } from "./hold-customer.ts";
import type { CustomerRow } from "./schema.ts";
import { findCustomersById } from "./store.ts";

const CUSTOMER_END_DUE = "customer_end";

export type EndDeps = {
  /** Whether an invoice of the customer is not made or not finalized yet. */
  hasOpenInvoices: (tx: Tx, customer: CustomerRow) => Promise<boolean>;
  /** Ends coupons and wallets. Safe to repeat. */
  endValue: (batch: Batch, customer: LockedCustomer, registry: DueRegistry) => Promise<void>;
};

/** Runs after the finalization of the same instant. An invoice that is held or late schedules this again when it is final. */
export const customerEndDueKind = ({ hasOpenInvoices, endValue }: EndDeps): DueKind => ({
  kind: CUSTOMER_END_DUE,
  rank: 85,
  settles: false,
  run: async (batch, { organizationId, customerId, dueAt: now }, registry) => {
    assert(customerId, "a deletion has a customer");
    const [row] = await findCustomersById(batch, organizationId, [customerId]);
    assert(row?.deleted_at, "only a deleted customer ends");
    if (!(await hasOpenInvoices(batch.tx, row))) await endValue(batch, { row, now }, registry);
  },
});

/** The customer is deleted. `subjectId` is the customer itself, or the invoice that became final. */
export async function askToEndCustomer(
  batch: Batch,
  registry: DueRegistry,
  { organization_id: organizationId, id, test_clock_id: testClockId }: CustomerRow,
  { subjectId, at }: { subjectId: string; at: Temporal.Instant },
): Promise<void> {
  const customer = { id, testClockId };
  await scheduleDue(batch, registry, organizationId, { kind: CUSTOMER_END_DUE, subjectId, customer, dueAt: at });
  if (testClockId !== null) await askToCatchUp(batch.tx, organizationId, testClockId);
}
