/** When a plan is deleted, its open invoices are finalized at once. */
import assert from "node:assert/strict";
import { rescheduleDues } from "../../../jobs/due.ts";
import { lockCustomer } from "../../../jobs/due-store.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findCustomersById, holdCustomerClock } from "../../customers/index.ts";
import { CLOSING_DUE } from "./due-names.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { findDraftsOfCustomer } from "./store.ts";

type Closing = Pick<InvoiceWorkDeps, "clock" | "registry">;

/**
 * For one customer. Its lock stops concurrent invoices, and later ones of a deleted plan never become drafts.
 * Finalization recomputes a draft with current data.
 */
export async function closeDraftsOfDeletedPlans(
  tx: Tx,
  { clock, registry }: Closing,
  organizationId: string,
  customerId: string,
): Promise<void> {
  const [customer] = await findCustomersById(alone(tx), organizationId, [customerId]);
  assert(customer, "an invoice has a customer");
  const { test_clock_id: testClockId } = customer;
  const stood = testClockId && (await holdCustomerClock(tx, organizationId, testClockId, clock));
  await lockCustomer(tx, organizationId, customerId);
  const drafts = await findDraftsOfCustomer(tx, organizationId, { customerId, isPlanDeleted: true });
  const dueAt = stood || clock.now();
  const readyAt = await readyUnlessPaused(alone(tx), organizationId, testClockId, dueAt);
  for (const { id: subjectId } of drafts)
    await rescheduleDues(alone(tx), registry, organizationId, {
      subjectId,
      customer: { id: customerId, testClockId },
      dues: [{ kind: CLOSING_DUE, dueAt, readyAt }],
    });
  if (testClockId !== null && drafts.length > 0) await askToCatchUp(tx, organizationId, testClockId);
}
