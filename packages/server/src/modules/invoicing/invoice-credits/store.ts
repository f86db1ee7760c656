/** All SQL on invoice_credits. */

import { type Selectable, sql } from "kysely";
import { newId } from "../../../platform/new-id.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type InvoiceCreditRow = Selectable<DB["invoice_credits"]>;

/** What an invoice shows of a used credit, with current names. */
export type NewCredit = Pick<
  InvoiceCreditRow,
  "kind" | "owner_id" | "item_id" | "item_code" | "item_name" | "amount_cents"
>;

export async function insertInvoiceCredits(
  tx: Tx,
  organizationId: string,
  { invoiceId, createdAt }: { invoiceId: string; createdAt: Temporal.Instant },
  credits: readonly NewCredit[],
): Promise<void> {
  if (credits.length === 0) return;
  const invoice = { organization_id: organizationId, invoice_id: invoiceId, created_at: createdAt };
  await tx
    .insertInto("invoice_credits")
    .values(credits.map((credit, position) => ({ ...credit, ...invoice, id: newId(), position })))
    .execute();
}

/** In order of use. */
export const findInvoiceCredits = batchedRows<InvoiceCreditRow>(
  (tx, organizationId, invoiceIds) =>
    tx
      .selectFrom("invoice_credits")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("invoice_id", "=", anyOf(invoiceIds))
      .orderBy("position")
      .execute(),
  ({ invoice_id }) => invoice_id,
);

/** The uses of applied coupons or credit notes, oldest first, each with the invoice members that it shows. */
export const findCreditsOfOwners = (tx: Tx, organizationId: string, ownerIds: readonly string[]) =>
  tx
    .selectFrom("invoice_credits")
    .selectAll()
    .select([
      sql<string>`(
        select currency from invoices where organization_id = ${organizationId} and id = invoice_credits.invoice_id
      )`.as("currency"),
      sql<string>`(
        select payment_status from invoices where organization_id = ${organizationId} and id = invoice_credits.invoice_id
      )`.as("payment_status"),
    ])
    .where("organization_id", "=", organizationId)
    .where("owner_id", "=", anyOf(ownerIds))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
