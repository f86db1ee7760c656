/** Measures the unbilled usage of a customer, taxes included. */
import { AMOUNT_MAX } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import { CannotBill } from "../../../jobs/failures.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { type InvoiceDeps, measureOpenInvoices } from "../../invoicing/index.ts";
import { computeUsageInArrears, loadAllOfCustomer } from "../../usage/index.ts";

/** Usage of open periods plus drafts. Charges in advance are already billed, so they do not count. Locks nothing. */
export async function measureUsage(deps: InvoiceDeps, organizationId: string, customerId: string): Promise<Minor> {
  const subscribed = await inOrganization(deps.db, organizationId, (tx) =>
    loadAllOfCustomer(tx, organizationId, customerId, deps.clock),
  );
  let total: bigint = await measureOpenInvoices(deps, organizationId, customerId);
  for (const one of subscribed) total += (await computeUsageInArrears(deps.events, one)).totalMinor;
  if (total > AMOUNT_MAX)
    throw new CannotBill(`An amount is at most ${AMOUNT_MAX} minor units; the unbilled usage is ${total}.`);
  return minor(total);
}
