/** What ends with a deleted customer once its last invoices are final. */
import type { DueRegistry } from "../jobs/due.ts";
import { terminateCouponsOf } from "../modules/applied-coupons/index.ts";
import type { HeldCustomer } from "../modules/customers/index.ts";
import { hasOpenInvoices } from "../modules/invoices/index.ts";
import { endWalletsOf } from "../modules/wallets/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Tx } from "../platform/postgres/database.ts";

export const composeCustomerEnd = (clock: Clock) => ({
  hasOpenInvoices,
  endValue: async (tx: Tx, customer: HeldCustomer, registry: DueRegistry): Promise<void> => {
    await terminateCouponsOf(tx, customer);
    await endWalletsOf({ clock, registry })(tx, customer);
  },
});
