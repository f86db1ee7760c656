/** Invoices follow their plan: when it is deleted, what it billed and is not final becomes so at once. */
import assert from "node:assert/strict";
import { rescheduleDues } from "../../../jobs/due.ts";
import { lockCustomer } from "../../../jobs/due-store.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findCustomersById, holdCustomerClock } from "../../customers/index.ts";
import { CLOSING_DUE } from "./due-names.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { findDraftsOfCustomer } from "./store.ts";

type Closing = Pick<InvoiceWorkDeps, "clock" | "registry">;

/**
 * Of one customer. Once it is held, nothing of it is being made: what is made later knows that its plan is deleted, and is no draft.
 * A draft is computed again when it is finalized, with what is known then.
 */
export async function closeDraftsOfDeletedPlans(
  tx: Tx,
  { clock, registry }: Closing,
  organizationId: string,
  customerId: string,
): Promise<void> {
  const [customer] = await findCustomersById(tx, organizationId, [customerId]);
  assert(customer, "an invoice has a customer");
  const { test_clock_id: testClockId } = customer;
  const stood = testClockId && (await holdCustomerClock(tx, organizationId, testClockId, clock));
  await lockCustomer(tx, organizationId, customerId);
  const drafts = await findDraftsOfCustomer(tx, organizationId, { customerId, isPlanDeleted: true });
  const dueAt = stood || clock.now();
  const readyAt = await readyUnlessPaused(tx, organizationId, testClockId, dueAt);
  for (const { id: subjectId } of drafts)
    await rescheduleDues(tx, registry, organizationId, {
      subjectId,
      customer: { id: customerId, testClockId },
      dues: [{ kind: CLOSING_DUE, dueAt, readyAt }],
    });
  if (testClockId !== null && drafts.length > 0) await askToCatchUp(tx, organizationId, testClockId);
}
