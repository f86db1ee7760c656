/** Credit notes in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { describeNamedCustomers } from "../../customers/index.ts";
import { describeFees, findFees } from "../../invoicing/index.ts";
import { type CreditNoteRow, findItems, findNoteTaxes } from "./store.ts";
import { type ApiCreditNote, toApiCreditNote } from "./to-api.ts";

export async function describeNotes(
  batch: Batch,
  organizationId: string,
  rows: readonly CreditNoteRow[],
): Promise<ApiCreditNote[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const items = await findItems(batch.tx, organizationId, ids);
  const feeRows = await findFees(batch.tx, organizationId, [...new Set(items.map(({ fee_id }) => fee_id))]);
  const described = await describeFees(batch, organizationId, feeRows, { withTaxes: false });
  const fees = new Map(described.map((fee) => [fee.svc_id, fee]));
  const taxes = Map.groupBy(await findNoteTaxes(batch.tx, organizationId, ids), ({ credit_note_id }) => credit_note_id);
  const ofNote = Map.groupBy(items, ({ credit_note_id }) => credit_note_id);
  return rows.map((row) =>
    toApiCreditNote(row, {
      items: (ofNote.get(row.id) ?? []).map((item) => {
        const fee = fees.get(item.fee_id);
        assert(fee, "an item has a fee");
        return { item, fee };
      }),
      taxes: taxes.get(row.id) ?? [],
    }),
  );
}

export async function describeNote(batch: Batch, organizationId: string, row: CreditNoteRow): Promise<ApiCreditNote> {
  const [note] = await describeNotes(batch, organizationId, [row]);
  assert(note, "a row has a description");
  return note;
}

/** Includes the customer. */
export async function describeForMessage(batch: Batch, organizationId: string, row: CreditNoteRow) {
  const customers = await describeNamedCustomers(batch, organizationId, [row.customer_id]);
  return { ...(await describeNote(batch, organizationId, row)), customer: customers.get(row.customer_id) };
}
