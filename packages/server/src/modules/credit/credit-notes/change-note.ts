/** What may change of a credit note: whether its refund was paid, and whether what is left of it is void. */
import { voidCreditNote } from "@tallystick/core/invoicing";
import { minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdInvoice } from "../../invoicing/index.ts";
import { type Debt, post, postRefund, reverseRefunds } from "../../ledger/index.ts";
import { creditNoteErrors } from "./errors.ts";
import { type CreditNoteRow, findNote, updateNote } from "./store.ts";

type Addressed = { organizationId: string; id: string };
type LockedNote = { row: CreditNoteRow; now: Temporal.Instant; isInvoiceVoided: boolean };

/** Its customer is held with its invoice. */
async function holdNote(tx: Tx, clock: Clock, { organizationId, id }: Addressed): Promise<LockedNote> {
  const found = await findNote(tx, organizationId, id);
  if (!found) throw creditNoteErrors.problem("credit_note_not_found");
  const { row: invoice, now } = await holdInvoice(tx, organizationId, found.invoice_id, clock);
  // Again: until the customer was ours, others may have used it.
  const row = await findNote(tx, organizationId, id);
  return { row: row ?? found, now, isInvoiceVoided: invoice.status === "voided" };
}

/** A note without a refund has no such status. Nothing is refunded of a voided invoice: its refunds have failed for good. */
export async function changeNote(
  tx: Tx,
  clock: Clock,
  addressed: Addressed,
  refundStatus: string | undefined,
): Promise<CreditNoteRow> {
  const { row, now, isInvoiceVoided } = await holdNote(tx, clock, addressed);
  if (refundStatus === undefined || row.refund_status === null || refundStatus === row.refund_status) return row;
  if (isInvoiceVoided) throw creditNoteErrors.problem("invalid_type_or_status");
  await moveRefund(tx, row, refundStatus, { occurredAt: now, now: clock.now() });
  return updateNote(tx, row.organization_id, row.id, { refund_status: refundStatus, updated_at: clock.now() });
}

/** Money goes back when the refund succeeds; if it fails after that, the money came back to us. */
async function moveRefund(
  tx: Tx,
  { organization_id: organizationId, id, customer_id: customerId, currency, ...note }: CreditNoteRow,
  status: string,
  when: Pick<Debt, "occurredAt" | "now">,
): Promise<void> {
  const debt = { ownerId: id, customerId, currency, ...when };
  if (status === "succeeded") await postRefund(tx, organizationId, debt, note.refund_amount_cents);
  else await reverseRefunds(tx, organizationId, debt);
}

export async function voidNote(tx: Tx, clock: Clock, addressed: Addressed): Promise<CreditNoteRow> {
  const { row, now } = await holdNote(tx, clock, addressed);
  const voided = voidCreditNote({ balanceMinor: minor(row.balance_amount_cents) });
  if (!voided.ok) throw creditNoteErrors.problem(voided.error);
  const { organization_id: organizationId, id } = row;
  await post(tx, organizationId, {
    ownerId: id,
    customerId: row.customer_id,
    currency: row.currency,
    from: "credit_note",
    to: "voided",
    amountCents: row.balance_amount_cents,
    source: { kind: "credit_note_void", id },
    occurredAt: now,
    now: clock.now(),
  });
  return updateNote(tx, organizationId, id, {
    balance_amount_cents: voided.value.balanceMinor,
    credit_status: voided.value.status,
    voided_at: now,
    updated_at: clock.now(),
  });
}
