/** What ends with a deleted customer once its last invoices are finalized. */
import type { DueRegistry } from "../jobs/due.ts";
import { endWalletsOf, terminateCouponsOf } from "../modules/credit/index.ts";
import type { LockedCustomer } from "../modules/customers/index.ts";
import { hasOpenInvoices, type InvoiceCredits } from "../modules/invoicing/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Batch } from "../platform/postgres/batch.ts";

export const composeCustomerEnd = (deps: { clock: Clock; credits: InvoiceCredits }) => ({
  hasOpenInvoices,
  endValue: async (batch: Batch, customer: LockedCustomer, registry: DueRegistry): Promise<void> => {
    await terminateCouponsOf(batch.tx, customer);
    await endWalletsOf({ ...deps, registry })(batch, customer);
  },
});
