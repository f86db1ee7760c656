/** An invoice that could not be made, and of which an operator decided that it never is. */
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { lockInvoice, updateInvoice } from "./store.ts";

/** The customer is held. It stays without a number, and nobody sees it. */
export async function skipInvoice(
  tx: Tx,
  { organization_id: organizationId, object_id: id }: { organization_id: string; object_id: string },
  clock: Clock,
): Promise<void> {
  const invoice = await lockInvoice(tx, organizationId, id);
  if (invoice.status === "generating") await updateInvoice(tx, organizationId, id, { skipped_at: clock.now() });
}
