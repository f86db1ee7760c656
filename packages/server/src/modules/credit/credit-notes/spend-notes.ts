/** How invoices use credit notes and return their credit. */
import assert from "node:assert/strict";
import { giveBackCreditNote, keepsInvoice } from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById } from "../../customers/index.ts";
import { type CreditSource, findCreditsOfOwners, type InvoiceCreditRow, type Voided } from "../../invoicing/index.ts";
import { post } from "../../ledger/index.ts";
import { type CreditNoteRow, findAvailable, findNotes, findNotesOfInvoice, moveNote } from "./store.ts";

export const creditNoteSource = (clock: Clock): CreditSource => ({
  load: async (batch, organizationId, { customerId }) => ({
    creditNotes: (await findAvailable(batch, organizationId, [customerId])).map((note) => ({
      id: note.id,
      number: note.number,
      invoiceId: note.invoice_id,
      currency: currency(note.currency),
      createdAt: note.created_at,
      balanceMinor: minor(note.balance_amount_cents),
    })),
  }),

  use: async (batch, organizationId, { invoiceId, at, uses: { creditNoteUses } }) => {
    for (const { note, amountMinor, status } of creditNoteUses) {
      const row = await moveNote(batch.tx, organizationId, note.id, {
        byCents: -amountMinor,
        credit_status: status,
        updated_at: at,
      });
      await post(batch, organizationId, {
        ...ownerOf(row),
        from: "credit_note",
        to: "invoiced",
        amountCents: amountMinor,
        source: { kind: "invoice", id: invoiceId },
        occurredAt: at,
        now: clock.now(),
      });
    }
  },

  show: async (tx, organizationId, { creditNoteUses }) => {
    if (creditNoteUses.length === 0) return [];
    const rows = await findNotes(
      tx,
      organizationId,
      creditNoteUses.map(({ note }) => note.id),
    );
    return creditNoteUses.map(({ note, amountMinor }) => {
      const row = rows.find(({ id }) => id === note.id);
      assert(row, "the used note exists");
      const item = { item_id: row.id, item_code: row.number, item_name: row.invoice_number };
      return { kind: "credit_note", owner_id: row.id, ...item, amount_cents: amountMinor };
    });
  },

  giveBack: async (batch, organizationId, voided) => {
    const used = voided.credits.filter(({ kind }) => kind === "credit_note");
    const notes = await findNotes(
      batch.tx,
      organizationId,
      used.map(({ owner_id }) => owner_id),
    );
    const [customer] = await findCustomersById(batch, organizationId, [voided.invoice.customer_id]);
    const isCustomerDeleted = customer?.deleted_at !== null;
    for (const note of notes) {
      const credit = used.find(({ owner_id }) => owner_id === note.id);
      assert(credit, "every requested credit was found");
      await giveBack(batch, { note, credit, voided, isCustomerDeleted }, clock);
    }
  },
});

type Returned = { note: CreditNoteRow; credit: InvoiceCreditRow; voided: Voided; isCustomerDeleted: boolean };

/** Credit that returns to a voided note, or to a note of a deleted customer, is void too. */
async function giveBack(
  batch: Batch,
  { note, credit, voided: { invoice, at }, isCustomerDeleted }: Returned,
  clock: Clock,
): Promise<void> {
  const state = {
    status: note.credit_status as "available" | "consumed" | "voided",
    balanceMinor: minor(note.balance_amount_cents),
  };
  const { status, balanceMinor } = giveBackCreditNote(state, minor(credit.amount_cents), { isCustomerDeleted });
  const { organization_id: organizationId } = note;
  await moveNote(batch.tx, organizationId, note.id, {
    byCents: balanceMinor - note.balance_amount_cents,
    credit_status: status,
    ...(status === "voided" && note.voided_at === null ? { voided_at: at } : {}),
    updated_at: at,
  });
  await post(batch, organizationId, {
    ...ownerOf(note),
    from: "invoiced",
    to: balanceMinor === state.balanceMinor ? "voided" : "credit_note",
    amountCents: credit.amount_cents,
    source: { kind: "invoice_void", id: invoice.id },
    occurredAt: at,
    now: clock.now(),
  });
}

const ownerOf = ({ id, customer_id, currency }: CreditNoteRow) => ({ ownerId: id, customerId: customer_id, currency });

/** Whether a credit note prevents the void of its invoice. */
export async function isKeptByNote(tx: Tx, organizationId: string, invoiceId: string): Promise<boolean> {
  const notes = await findNotesOfInvoice(tx, organizationId, invoiceId);
  if (notes.length === 0) return false;
  const uses = await findCreditsOfOwners(
    tx,
    organizationId,
    notes.map(({ id }) => id),
  );
  const spent = new Set(uses.map(({ owner_id }) => owner_id));
  return notes.some((note) =>
    keepsInvoice({
      creditStatus: note.credit_status,
      refundStatus: note.refund_status,
      wasSpent: spent.has(note.id),
    }),
  );
}
