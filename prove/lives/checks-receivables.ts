/** What is owed for every invoice: the total, less what was paid and what was given up. Only payments, write-offs and voids change it. */
import { demand } from "./demand.ts";
import type { Documents, Invoice } from "./documents.ts";
import { SWITCHES } from "./switches.ts";

const writtenOffOf = ({ total_written_off_amount_cents: cents = 0 }: Invoice): number => cents;

export function checkReceivables(now: Documents, before: Documents): void {
  const old = new Map(before.invoices.map((invoice) => [invoice.svc_id, invoice]));
  for (const invoice of now.invoices) {
    checkAmounts(invoice);
    const known = old.get(invoice.svc_id);
    if (known?.status === "finalized") checkChange(known, invoice);
  }
}

/** The members are of the service from the release on that has them. */
function checkAmounts(invoice: Invoice): void {
  const { status, total_amount_cents: total, payment_status: payment } = invoice;
  const { total_due_amount_cents: due, total_paid_amount_cents: paid } = invoice;
  const writtenOff = writtenOffOf(invoice);
  const about = () => invoice;
  demand("writtenOffTooMuch", writtenOff >= 0 && writtenOff <= total, about);
  if (due === undefined || paid === undefined) return;
  demand("paidNegative", paid >= 0, about);
  if (status !== "finalized") {
    demand("dueOfNothing", due === 0, about);
    return;
  }
  demand("invoiceDue", due === total - paid - writtenOff && due >= 0, about);
  if (total === 0) return;
  if (payment === "succeeded") demand("paidButDue", due === 0, about);
  // What was given up as a whole is owed no more, and was never paid.
  if (due === 0 && writtenOff === 0) demand("notDueButUnpaid", payment === "succeeded", about);
}

/** A credit note never changes what is due of its own invoice, and neither does anything else but a payment, a write-off or a void. */
function checkChange(old: Invoice, found: Invoice): void {
  const about = () => ({ old, found });
  const isPaidNow = old.payment_status !== "succeeded" && found.payment_status === "succeeded";
  const [given, left] = [writtenOffOf(old), writtenOffOf(found)];
  const isRecovered = SWITCHES.paidAfterWriteOff && isPaidNow && given > 0 && given === old.total_amount_cents;
  demand("writeOffTakenBack", isRecovered ? left === 0 : left >= given, about);
  if (found.total_due_amount_cents === undefined || found.status !== "finalized") return;
  if (isRecovered) demand("recoveredWhole", found.total_paid_amount_cents === found.total_amount_cents, about);
  if (found.payment_status !== old.payment_status || left !== given) return;
  const isSame =
    found.total_due_amount_cents === old.total_due_amount_cents &&
    found.total_paid_amount_cents === old.total_paid_amount_cents;
  demand("dueChanged", isSame, about);
}
