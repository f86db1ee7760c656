/** Saves a credit note that core computed, posts its credit to the ledger, and publishes the message. */
import assert from "node:assert/strict";
import { type CreditNote, creditNoteNumber } from "@tallystick/core/invoicing";
import { dayOf } from "@tallystick/core/time";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { type DocumentHooks, loadPayer } from "../../invoicing/index.ts";
import { post } from "../../ledger/index.ts";
import { describeForMessage } from "./describe-credit-notes.ts";
import type { LoadedInvoice } from "./load-creditable.ts";
import { type CreditNoteRow, insertNote } from "./store.ts";

export type NoteDeps = { clock: Clock; documents: DocumentHooks };

export type NewNote = {
  loaded: LoadedInvoice;
  note: CreditNote;
  derivation: object;
  reason: CreditNoteRow["reason"];
  description: string | null;
  unusedOfSubscriptionId: string | null;
  /** By the clock of the customer. */
  at: Temporal.Instant;
};

/** The customer is locked, so no other note can take the next number of the invoice. */
export async function saveNote(batch: Batch, { clock, documents }: NoteDeps, made: NewNote): Promise<CreditNoteRow> {
  const { loaded, at } = made;
  const { invoice } = loaded;
  const { organization_id: organizationId, customer_id: customerId } = invoice;
  const { customer, timeZone } = await loadPayer(batch, organizationId, customerId);
  const createdAt = customer.test_clock_id === null ? clock.now() : at;
  const row = await insertNote(batch.tx, organizationId, {
    note: { ...toColumns(made), issuing_date: dayOf(at, timeZone), created_at: createdAt, updated_at: createdAt },
    items: made.note.items.map(({ feeId, amount, amountMinor }, line) => ({
      id: newId(),
      fee_id: feeId,
      line,
      amount_cents: amountMinor,
      precise_amount_cents: amount,
      created_at: createdAt,
    })),
    taxes: toTaxRows(made, createdAt),
  });
  await post(batch, organizationId, {
    ownerId: row.id,
    customerId,
    currency: row.currency,
    from: "issued",
    to: "credit_note",
    amountCents: row.credit_amount_cents,
    source: { kind: "credit_note", id: row.id },
    occurredAt: at,
    now: clock.now(),
  });
  await documents.issue(batch, organizationId, { subject: { creditNoteId: row.id }, customerId, at: clock.now() });
  const object = await describeForMessage(batch, organizationId, row);
  const change = {
    webhookType: "credit_note.created",
    objectType: "credit_note",
    objectId: row.id,
    object,
    once: true,
  };
  await publish(batch, organizationId, change, clock.now());
  return row;
}

function toColumns({ loaded, note, derivation, reason, description, unusedOfSubscriptionId }: NewNote) {
  const { invoice, noteCount } = loaded;
  const sequentialId = BigInt(noteCount) + 1n;
  assert(invoice.number !== null && invoice.currency !== null, "a credited invoice is finalized");
  return {
    id: newId(),
    customer_id: invoice.customer_id,
    invoice_id: invoice.id,
    sequential_id: sequentialId,
    invoice_number: invoice.number,
    number: creditNoteNumber(invoice.number, sequentialId),
    reason,
    description,
    currency: invoice.currency,
    coupons_adjustment_amount_cents: note.couponsMinor,
    sub_total_excluding_taxes_amount_cents: note.subTotalExcludingTaxesMinor,
    taxes_amount_cents: note.taxesMinor,
    taxes_rate: note.taxesRate,
    total_amount_cents: note.totalMinor,
    credit_amount_cents: note.creditMinor,
    refund_amount_cents: note.refundMinor,
    balance_amount_cents: note.creditMinor,
    credit_status: note.creditStatus,
    refund_status: note.refundStatus,
    unused_of_subscription_id: unusedOfSubscriptionId,
    derivation: JSON.stringify(derivation),
  };
}

const toTaxRows = ({ loaded, note }: NewNote, createdAt: Temporal.Instant) =>
  note.taxLines.map(({ tax, baseMinor, amountMinor }) => {
    const row = loaded.taxRows.get(tax.code);
    assert(row, "a tax of a note is a tax of its invoice");
    return {
      id: newId(),
      tax_id: row.id,
      tax_code: tax.code,
      tax_name: tax.name,
      tax_description: row.description,
      tax_rate: tax.rate,
      base_amount_cents: baseMinor,
      amount_cents: amountMinor,
      created_at: createdAt,
    };
  });
