/** Invoices follow their customer: when it is deleted, what is not final becomes so, with the taxes that it had. */
import { type DueRegistry, rescheduleDues } from "../../../jobs/due.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findCustomerTaxes, type LockedCustomer } from "../../customers/index.ts";
import { CLOSING_DUE } from "./due-names.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import { findOpenInvoices, keepCustomerTaxes } from "./store.ts";

/** Its last bills are written already. A deleted customer has no taxes any more, so its open invoices remember them. */
export const closeInvoicesOf =
  ({ registry }: { registry: DueRegistry }) =>
  async (tx: Tx, { row, now }: LockedCustomer): Promise<void> => {
    const { organization_id: organizationId, id: customerId, test_clock_id: testClockId } = row;
    const open = await findOpenInvoices(tx, organizationId, customerId);
    if (open.length === 0) return;
    const { customer } = await findCustomerTaxes(tx, organizationId, customerId);
    await keepCustomerTaxes(tx, organizationId, {
      customerId,
      taxIds: customer.map(({ id }) => id),
    });
    const readyAt = await readyUnlessPaused(tx, organizationId, testClockId, now);
    for (const { id: subjectId } of open.filter(({ status }) => status === "draft"))
      await rescheduleDues(tx, registry, organizationId, {
        subjectId,
        customer: { id: customerId, testClockId },
        dues: [{ kind: CLOSING_DUE, dueAt: now, readyAt }],
      });
    if (testClockId !== null) await askToCatchUp(tx, organizationId, testClockId);
  };

/** Whether something of it is still to be made or finalized; what is held counts. */
export const hasOpenInvoices = async (tx: Tx, { organization_id, id }: LockedCustomer["row"]): Promise<boolean> =>
  (await findOpenInvoices(tx, organization_id, id)).length > 0;
