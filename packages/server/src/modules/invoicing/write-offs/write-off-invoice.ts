/** POST /invoices/{id}/write_off: gives up the debt; the invoice stays. */
import { writeOff } from "@tallystick/core/invoicing";
import { minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdInvoice, type InvoiceRow, moveOnce, owedOf } from "../invoices/index.ts";
import { writeOffErrors } from "./errors.ts";
import { insertWriteOff, raiseWrittenOff } from "./store.ts";

export type Requested = { amount: number | null; reason: string };

export async function writeOffInvoice(
  tx: Tx,
  clock: Clock,
  { organizationId, id }: { organizationId: string; id: string },
  { amount, reason }: Requested,
): Promise<InvoiceRow> {
  const { row: locked, now } = await holdInvoice(tx, organizationId, id, clock);
  const written = writeOff(owedOf(locked), amount === null ? null : minor(BigInt(amount)));
  if (!written.ok) throw problemOf(written.error);
  const { amountMinor: amountCents, entries } = written.value;
  const writeOffId = newId();
  const source = { kind: "write_off", id: writeOffId };
  await moveOnce(alone(tx), locked, { source, entries }, { at: now, now: clock.now() });
  const row = await raiseWrittenOff(tx, organizationId, { id, amountCents, now: clock.now() });
  if (!row) throw writeOffErrors.problem("not_due");
  await insertWriteOff(tx, organizationId, {
    id: writeOffId,
    invoice_id: id,
    amount_cents: amountCents,
    reason,
    occurred_at: now,
    created_at: clock.now(),
  });
  return row;
}

const problemOf = (code: "not_due" | "higher_than_due_amount"): Error =>
  code === "not_due" ? writeOffErrors.problem(code) : writeOffErrors.invalid("amount_cents", code);
