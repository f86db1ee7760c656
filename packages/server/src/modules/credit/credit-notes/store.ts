/** All SQL on credit_notes, credit_note_items and credit_note_taxes. */

import { type Insertable, type Selectable, sql, type Updateable, type UpdateObject } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byDate, byInstant, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { containsTerm, eitherOf, searchFor } from "../../../platform/postgres/find-by-term.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { idsByExternalId, searchByCustomer } from "../../customers/index.ts";

export type CreditNoteRow = Selectable<DB["credit_notes"]>;
export type CreditNoteItemRow = Selectable<DB["credit_note_items"]>;
export type CreditNoteTaxRow = Selectable<DB["credit_note_taxes"]>;

const all = (tx: Tx, organizationId: string) =>
  tx.selectFrom("credit_notes").selectAll().where("organization_id", "=", organizationId);

export const findNote = async (tx: Tx, organizationId: string, id: string): Promise<CreditNoteRow | undefined> =>
  isUuid(id) ? all(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

export const findNotes = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<CreditNoteRow[]> =>
  all(tx, organizationId).where("id", "=", anyOf(ids)).orderBy("id").execute();

export const findNotesOfInvoice = (tx: Tx, organizationId: string, invoiceId: string): Promise<CreditNoteRow[]> =>
  all(tx, organizationId).where("invoice_id", "=", invoiceId).orderBy("sequential_id").execute();

export const findNotesOfCustomer = (tx: Tx, organizationId: string, customerId: string): Promise<CreditNoteRow[]> =>
  all(tx, organizationId).where("customer_id", "=", customerId).orderBy("id").execute();

export const findAvailable = batchedRows<CreditNoteRow>(
  (tx, organizationId, customerIds) =>
    all(tx, organizationId)
      .where("customer_id", "=", anyOf(customerIds))
      .where("credit_status", "=", "available")
      .orderBy("id")
      .execute(),
  ({ customer_id }) => customer_id,
);

/** Indexes: credit_notes_list, and credit_notes_customer, credit_notes_of_invoice for one customer or invoice; credit_notes_parts for a search. */
export async function pageOfNotes(
  tx: Tx,
  organizationId: string,
  list: ListRequest<"external_customer_id" | "invoice_id">,
) {
  const [externalId] = list.filters.external_customer_id ?? [];
  const [invoiceId] = list.filters.invoice_id ?? [];
  let query = all(tx, organizationId);
  if (externalId !== undefined)
    query = query.where("customer_id", "in", idsByExternalId(organizationId, externalId, { deleted: "included" }));
  if (invoiceId !== undefined)
    query = query.where(isUuid(invoiceId) ? sql<boolean>`invoice_id = ${invoiceId}` : sql<boolean>`false`);
  return pageOf(query, list, {
    sorts: { created_at: [byInstant("created_at")], issuing_date: [byDate("issuing_date"), byInstant("created_at")] },
    filters: { credit_status: "credit_status", refund_status: "refund_status", reason: "reason", currency: "currency" },
    ...(list.searchTerm === undefined ? {} : { search: await searchNotes(tx, organizationId, list.searchTerm) }),
  });
}

/** By number, or the customer's names, external id and email. */
const searchNotes = async (tx: Tx, organizationId: string, term: string) =>
  eitherOf([
    await searchFor(tx, organizationId, { kind: "credit_notes", term, otherwise: containsTerm(["number"], term) }),
    await searchByCustomer(tx, organizationId, term),
  ]);

type NewNote = {
  note: Omit<Insertable<DB["credit_notes"]>, "organization_id">;
  items: readonly Omit<Insertable<DB["credit_note_items"]>, "organization_id" | "credit_note_id">[];
  taxes: readonly Omit<Insertable<DB["credit_note_taxes"]>, "organization_id" | "credit_note_id">[];
};

export async function insertNote(
  tx: Tx,
  organizationId: string,
  { note, items, taxes }: NewNote,
): Promise<CreditNoteRow> {
  const row = await tx
    .insertInto("credit_notes")
    .values({ ...note, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();
  const part = { organization_id: organizationId, credit_note_id: row.id };
  // One by one, because a note may have more items than a statement has parameters.
  for (const item of items)
    await tx
      .insertInto("credit_note_items")
      .values({ ...item, ...part })
      .execute();
  for (const tax of taxes)
    await tx
      .insertInto("credit_note_taxes")
      .values({ ...tax, ...part })
      .execute();
  return row;
}

export const updateNote = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: UpdateObject<DB, "credit_notes">,
): Promise<CreditNoteRow> =>
  tx
    .updateTable("credit_notes")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Adds a difference instead of setting a value: a concurrent change then violates a check and is not lost. */
export const moveNote = (
  tx: Tx,
  organizationId: string,
  id: string,
  { byCents, ...changes }: { byCents: bigint } & Updateable<DB["credit_notes"]>,
): Promise<CreditNoteRow> =>
  updateNote(tx, organizationId, id, {
    ...changes,
    balance_amount_cents: sql`balance_amount_cents + ${byCents}::bigint`,
  });

export const findItems = (tx: Tx, organizationId: string, noteIds: readonly string[]): Promise<CreditNoteItemRow[]> =>
  tx
    .selectFrom("credit_note_items")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("credit_note_id", "=", anyOf(noteIds))
    .orderBy("line")
    .execute();

export const findNoteTaxes = (
  tx: Tx,
  organizationId: string,
  noteIds: readonly string[],
): Promise<CreditNoteTaxRow[]> =>
  tx
    .selectFrom("credit_note_taxes")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("credit_note_id", "=", anyOf(noteIds))
    .orderBy("id")
    .execute();
