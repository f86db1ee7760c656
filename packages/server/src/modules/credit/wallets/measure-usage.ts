/** What a customer has used and is not billed for yet, taxes included. */
import { AMOUNT_MAX } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import { CannotBill } from "../../../jobs/failures.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { type InvoiceDeps, measureOpenInvoices } from "../../invoicing/index.ts";
import { computeUsageInArrears, loadAllOfCustomer } from "../../usage/index.ts";

/** The usage of open periods, but for charges in advance, which are billed already; and of what is not final. Nothing is held. */
export async function measureUsage(deps: InvoiceDeps, organizationId: string, customerId: string): Promise<Minor> {
  const subscribed = await inOrganization(deps.db, organizationId, (tx) =>
    loadAllOfCustomer(tx, organizationId, customerId, deps.clock),
  );
  let total: bigint = await measureOpenInvoices(deps, organizationId, customerId);
  for (const one of subscribed) total += (await computeUsageInArrears(deps.events, one)).totalMinor;
  if (total > AMOUNT_MAX)
    throw new CannotBill(
      `An amount is at most ${AMOUNT_MAX} minor units; the usage that is not billed yet is ${total}.`,
    );
  return minor(total);
}
