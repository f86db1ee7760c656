/** All SQL on invoice_write_offs, and on the written-off amounts of invoices. */
import { type Insertable, sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { InvoiceRow } from "../invoices/index.ts";

type NewWriteOff = Omit<Insertable<DB["invoice_write_offs"]>, "organization_id">;

/** One guarded statement: undefined if the amount due is lower, also after a concurrent payment or write-off. */
export const raiseWrittenOff = (
  tx: Tx,
  organizationId: string,
  { id, amountCents, now }: { id: string; amountCents: bigint; now: Temporal.Instant },
): Promise<InvoiceRow | undefined> =>
  tx
    .updateTable("invoices")
    .set({
      written_off_amount_cents: sql`written_off_amount_cents + ${amountCents}::bigint`,
      payment_overdue: sql`payment_overdue
        and paid_amount_cents + written_off_amount_cents + ${amountCents}::bigint < total_amount_cents`,
      updated_at: now,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("status", "=", "finalized")
    .where(sql<boolean>`paid_amount_cents + written_off_amount_cents + ${amountCents}::bigint <= total_amount_cents`)
    .returningAll()
    .executeTakeFirst();

export async function insertWriteOff(tx: Tx, organizationId: string, writeOff: NewWriteOff): Promise<void> {
  await tx
    .insertInto("invoice_write_offs")
    .values({ ...writeOff, organization_id: organizationId })
    .execute();
}
