/** When a customer is deleted, its open invoices are finalized with the taxes that it had. */
import { type DueRegistry, rescheduleDues } from "../../../jobs/due.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findCustomerTaxes, type LockedCustomer } from "../../customers/index.ts";
import { CLOSING_DUE } from "./due-names.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import { findOpenInvoices, keepCustomerTaxes } from "./store.ts";

/** Its last bills are already written. A deleted customer has no taxes, so its open invoices store them. */
export const closeInvoicesOf =
  ({ registry }: { registry: DueRegistry }) =>
  async (tx: Tx, { row, now }: LockedCustomer): Promise<void> => {
    const { organization_id: organizationId, id: customerId, test_clock_id: testClockId } = row;
    const open = await findOpenInvoices(tx, organizationId, customerId);
    if (open.length === 0) return;
    const { customer } = await findCustomerTaxes(alone(tx), organizationId, customerId);
    await keepCustomerTaxes(tx, organizationId, {
      customerId,
      taxIds: customer.map(({ id }) => id),
    });
    const readyAt = await readyUnlessPaused(alone(tx), organizationId, testClockId, now);
    for (const { id: subjectId } of open.filter(({ status }) => status === "draft"))
      await rescheduleDues(alone(tx), registry, organizationId, {
        subjectId,
        customer: { id: customerId, testClockId },
        dues: [{ kind: CLOSING_DUE, dueAt: now, readyAt }],
      });
    if (testClockId !== null) await askToCatchUp(tx, organizationId, testClockId);
  };

/** Whether invoices are still to be created or finalized. Held invoices count. */
export const hasOpenInvoices = async (tx: Tx, { organization_id, id }: LockedCustomer["row"]): Promise<boolean> =>
  (await findOpenInvoices(tx, organization_id, id)).length > 0;
