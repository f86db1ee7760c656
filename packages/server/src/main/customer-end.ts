/** What ends with a deleted customer once its last invoices are finalized. */
import type { DueRegistry } from "../jobs/due.ts";
import { endWalletsOf, terminateCouponsOf } from "../modules/credit/index.ts";
import type { LockedCustomer } from "../modules/customers/index.ts";
import { hasOpenInvoices, type InvoiceCredits } from "../modules/invoicing/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Tx } from "../platform/postgres/database.ts";

export const composeCustomerEnd = (deps: { clock: Clock; credits: InvoiceCredits }) => ({
  hasOpenInvoices,
  endValue: async (tx: Tx, customer: LockedCustomer, registry: DueRegistry): Promise<void> => {
    await terminateCouponsOf(tx, customer);
    await endWalletsOf({ ...deps, registry })(tx, customer);
  },
});
