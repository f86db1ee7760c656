/** SQL on what invoices show of their receivables. */
import type { Tx } from "../../platform/postgres/database.ts";
import type { InvoiceRow } from "./store.ts";

/** Invoices of an earlier release without a receivable. Those that somebody changes at this moment are left out. */
export const lockUnopenedInvoices = (tx: Tx, organizationId: string, limit: number): Promise<InvoiceRow[]> =>
  tx
    .selectFrom("invoices")
    .selectAll("invoices")
    .where("organization_id", "=", organizationId)
    .where("status", "in", ["finalized", "voided"])
    .where("has_receivable", "=", false)
    .orderBy("id")
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();

export async function markOpenedInvoice(
  tx: Tx,
  organizationId: string,
  { id, paidAmountCents }: { id: string; paidAmountCents: bigint },
): Promise<void> {
  await tx
    .updateTable("invoices")
    .set({ has_receivable: true, paid_amount_cents: paidAmountCents })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}
