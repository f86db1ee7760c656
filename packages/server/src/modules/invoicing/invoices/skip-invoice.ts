/** Skips an invoice that failed, by decision of an operator. */
import type { DueRegistry } from "../../../jobs/due.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToEndCustomer, findCustomersById } from "../../customers/index.ts";
import { lockInvoice, updateInvoice } from "./store.ts";

type Skipping = { clock: Clock; registry: DueRegistry };

/** The customer is locked. The invoice stays hidden and without a number. The deletion of its customer no longer waits for it. */
export async function skipInvoice(
  tx: Tx,
  { clock, registry }: Skipping,
  { organization_id: organizationId, object_id: id }: { organization_id: string; object_id: string },
): Promise<void> {
  const invoice = await lockInvoice(alone(tx), organizationId, id);
  if (invoice.status !== "generating") return;
  await updateInvoice(tx, organizationId, id, { skipped_at: clock.now() });
  const [customer] = await findCustomersById(alone(tx), organizationId, [invoice.customer_id]);
  if (customer?.deleted_at)
    await askToEndCustomer(alone(tx), registry, customer, { subjectId: id, at: invoice.occurred_at });
}
