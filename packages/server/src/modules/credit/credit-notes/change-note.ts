/** Changes a credit note: the status of its refund, and the void of its remaining balance. */
import { voidCreditNote } from "@tallystick/core/invoicing";
import { minor } from "@tallystick/core/money";
import { invalid } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdInvoice } from "../../invoicing/index.ts";
import { type Debt, post, postRefund, reverseRefunds } from "../../ledger/index.ts";
import { creditNoteErrors } from "./errors.ts";
import { type CreditNoteRow, findNote, updateNote } from "./store.ts";

type Addressed = { organizationId: string; id: string };
type LockedNote = { row: CreditNoteRow; now: Temporal.Instant; isInvoiceVoided: boolean };

/** Locks the customer through the invoice. */
async function holdNote(tx: Tx, clock: Clock, { organizationId, id }: Addressed): Promise<LockedNote> {
  const found = await findNote(tx, organizationId, id);
  if (!found) throw creditNoteErrors.problem("credit_note_not_found");
  const { row: invoice, now } = await holdInvoice(tx, organizationId, found.invoice_id, clock);
  // Read again, because other transactions may have used the note before the lock.
  const row = await findNote(tx, organizationId, id);
  return { row: row ?? found, now, isInvoiceVoided: invoice.status === "voided" };
}

/** A note without a refund has no refund status. Refunds of a voided invoice have failed permanently. */
export async function changeNote(
  tx: Tx,
  clock: Clock,
  addressed: Addressed,
  refundStatus: CreditNoteRow["refund_status"] | undefined,
): Promise<CreditNoteRow> {
  const { row, now, isInvoiceVoided } = await holdNote(tx, clock, addressed);
  if (refundStatus === undefined || row.refund_status === null || refundStatus === row.refund_status) return row;
  if (refundStatus === null) throw invalid({ refund_status: ["value_is_mandatory"] });
  if (isInvoiceVoided) throw creditNoteErrors.problem("invalid_type_or_status");
  await moveRefund(tx, row, refundStatus, { occurredAt: now, now: clock.now() });
  return updateNote(tx, row.organization_id, row.id, { refund_status: refundStatus, updated_at: clock.now() });
}

/** A successful refund pays money out. If it fails afterwards, the money came back. */
async function moveRefund(
  tx: Tx,
  { organization_id: organizationId, id, customer_id: customerId, currency, ...note }: CreditNoteRow,
  status: string,
  when: Pick<Debt, "occurredAt" | "now">,
): Promise<void> {
  const debt = { ownerId: id, customerId, currency, ...when };
  if (status === "succeeded") await postRefund(alone(tx), organizationId, debt, note.refund_amount_cents);
  else await reverseRefunds(alone(tx), organizationId, debt);
}

export async function voidNote(tx: Tx, clock: Clock, addressed: Addressed): Promise<CreditNoteRow> {
  const { row, now } = await holdNote(tx, clock, addressed);
  const voided = voidCreditNote({ balanceMinor: minor(row.balance_amount_cents) });
  if (!voided.ok) throw creditNoteErrors.problem(voided.error);
  const { organization_id: organizationId, id } = row;
  await post(alone(tx), organizationId, {
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
