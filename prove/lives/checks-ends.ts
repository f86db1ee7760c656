/** What comes back by itself for unused days comes back as was agreed: as credit, in money as far as it was paid, or not at all. */
import { demand } from "./demand.ts";
import type { Documents, Invoice, Note } from "./documents.ts";
import type { Life } from "./model/world.ts";
import type { World } from "./world.ts";

export function checkEnds(world: World, before: Documents): void {
  const { documents, ownNotes } = world;
  const known = new Set(before.notes.map(({ svc_id }) => svc_id));
  const made = documents.notes.filter(({ svc_id, reason }) => {
    const isOfChange = reason === "order_cancellation" || reason === "order_change";
    return isOfChange && !known.has(svc_id) && !ownNotes.has(svc_id);
  });
  for (const note of made) {
    const invoice = documents.invoices.find(({ svc_id }) => svc_id === note.svc_invoice_id);
    const life = invoice && lifeOf(world, invoice, note);
    if (invoice && life?.end) checkOne(world, { note, invoice, life, before });
  }
}

/** What the model made in order is what the service made in order. */
function lifeOf({ documents, model }: World, { fees }: Invoice, { items }: Note): Life | undefined {
  const fee = fees.find(({ svc_id }) => svc_id === items[0]?.fee.svc_id);
  const ids = documents.subscriptions.map(({ svc_id }) => svc_id).toSorted();
  const index = ids.indexOf(fee?.svc_subscription_id ?? "");
  return index < 0 ? undefined : model.lives[index];
}

type Checked = { note: Note; invoice: Invoice; life: Life; before: Documents };

function checkOne({ documents, session }: World, { note, invoice, life, before }: Checked): void {
  const { end, atEnd } = life;
  const agreed = end?.cause === "ended" ? (atEnd.creditNote ?? "credit") : "credit";
  const paidBefore = before.invoices.find(({ svc_id }) => svc_id === invoice.svc_id)?.payment_status;
  const earlier = documents.notes.filter(
    ({ svc_invoice_id, svc_id }) => svc_invoice_id === invoice.svc_id && svc_id < note.svc_id,
  );
  const about = () => ({ note, invoice, agreed, end, earlier });
  demand("noteOfSkippedEnd", agreed !== "skip", about);
  if (agreed !== "refund") {
    demand("refundNotAgreed", note.refund_amount_cents === 0, about);
    return;
  }
  // It may have been paid before or after the end.
  if (paidBefore !== invoice.payment_status) return;
  const credited = earlier.reduce((sum, { total_amount_cents: cents }) => sum + cents, 0);
  const inMoney =
    invoice.sub_total_including_taxes_amount_cents -
    credited -
    invoice.credit_notes_amount_cents -
    invoice.prepaid_credit_amount_cents -
    (invoice.total_written_off_amount_cents ?? 0);
  const refundable = invoice.payment_status === "succeeded" ? Math.max(0, inMoney) : 0;
  session.stage.note("checked: refunds at an end");
  demand("refundAtEnd", note.refund_amount_cents === Math.min(note.total_amount_cents, refundable), () => ({
    ...about(),
    refundable,
  }));
}
