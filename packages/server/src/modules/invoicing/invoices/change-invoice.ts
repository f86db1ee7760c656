/** Changes a finalized invoice: payment status, metadata, lost dispute, and void. */
import { mayVoid, type VoidableInvoice } from "@tallystick/core/invoicing";
import { minor } from "@tallystick/core/money";
import { invalid } from "../../../http/problem.ts";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { updatePayments } from "../fees/index.ts";
import { findInvoiceCredits } from "../invoice-credits/index.ts";
import { describeInvoice } from "./describe-invoices.ts";
import { isOverdueAt } from "./due-kinds.ts";
import { invoiceErrors } from "./errors.ts";
import { holdInvoice, type LockedInvoice } from "./hold-invoice.ts";
import { moveDispute, movePayment, moveVoid } from "./receivable.ts";
import { type InvoiceWorkDeps, tell } from "./save-invoice.ts";
import { findInvoiceMetadata, type InvoiceRow, replaceInvoiceMetadata, updateInvoice } from "./store.ts";

export type MetadataPair = { id?: string | null; svc_id?: string | null; key: string; value: string };
export type InvoiceRequest = {
  paymentStatus: InvoiceRow["payment_status"] | undefined;
  metadata: readonly MetadataPair[] | undefined;
};

type Addressed = { organizationId: string; id: string };

export async function changeInvoice(
  tx: Tx,
  { clock, credits }: InvoiceWorkDeps,
  { organizationId, id }: Addressed,
  { paymentStatus, metadata }: InvoiceRequest,
): Promise<InvoiceRow> {
  const locked = await holdInvoice(tx, organizationId, id, clock);
  const { status } = locked.row;
  if (status === "draft" && metadata) throw invoiceErrors.problem("metadata_on_draft_invoice");
  if (status === "draft" && paymentStatus) throw invoiceErrors.problem("payment_status_update_on_draft_invoice");
  if (status === "voided" && paymentStatus) throw invoiceErrors.problem("update_on_voided_invoice");
  if (metadata) await saveMetadata(tx, locked.row, metadata, clock.now());
  if (paymentStatus === undefined || paymentStatus === locked.row.payment_status) return locked.row;
  const row = await pay(tx, locked, paymentStatus, clock);
  await credits.onPaid(tx, row, locked.now);
  return row;
}

/** Its fees are paid with it. A paid invoice is not overdue; an invoice that is unpaid again may be. */
async function pay(
  tx: Tx,
  { row: before, now }: LockedInvoice,
  status: InvoiceRow["payment_status"],
  clock: Clock,
): Promise<InvoiceRow> {
  const { organization_id: organizationId, id } = before;
  await updatePayments(tx, organizationId, { invoiceId: id, status, now });
  const moved = await movePayment(tx, before, status, { at: now, now: clock.now() });
  const row = await updateInvoice(tx, organizationId, id, {
    ...moved,
    payment_status: status,
    payment_overdue: isOverdueAt({ ...before, ...moved, has_receivable: true }, now),
    updated_at: clock.now(),
  });
  await tell(alone(tx), row, "invoice.payment_status_updated", clock);
  return row;
}

async function saveMetadata(
  tx: Tx,
  { organization_id: organizationId, id: invoiceId }: InvoiceRow,
  requested: readonly MetadataPair[],
  now: Temporal.Instant,
): Promise<void> {
  if (new Set(requested.map((pair) => pair.key)).size !== requested.length)
    throw invalid({ key: ["value_already_exist"] });
  const known = new Map(
    (await findInvoiceMetadata(alone(tx), organizationId, [invoiceId])).map((pair) => [pair.id, pair]),
  );
  const pairs = requested.map(({ id, svc_id, key, value }) => {
    // The first pair with an id uses it up.
    const old = known.get(svc_id ?? id ?? "");
    if (old) known.delete(old.id);
    return { id: old?.id ?? newId(), key, value, created_at: old?.created_at ?? now };
  });
  await replaceInvoiceMetadata(tx, organizationId, invoiceId, pairs);
}

/** Returns the credits that it used. Its number stays used, and its period is not billed again automatically. */
export async function voidInvoice(
  tx: Tx,
  deps: InvoiceWorkDeps,
  { organizationId, id }: Addressed,
): Promise<InvoiceRow> {
  const row = await voidIfAllowed(alone(tx), deps, await holdInvoice(tx, organizationId, id, deps.clock));
  if (!row) throw invoiceErrors.problem("not_voidable");
  return row;
}

/** The customer is locked. Undefined: the invoice cannot be voided. */
export async function voidIfAllowed(
  batch: Batch,
  { clock, credits }: Pick<InvoiceWorkDeps, "clock" | "credits">,
  { row: before, now }: LockedInvoice,
): Promise<InvoiceRow | undefined> {
  const { organization_id: organizationId, id } = before;
  const isVoidable = mayVoid({
    status: before.status as VoidableInvoice["status"],
    paymentStatus: before.payment_status,
    isDisputeLost: before.payment_dispute_lost_at !== null,
    isKeptByCreditNote: await credits.isKeptByNote(batch.tx, organizationId, id),
    isPurchaseSpent: await credits.isPurchaseSpent(batch.tx, before),
    writtenOffMinor: minor(before.written_off_amount_cents),
  });
  if (!isVoidable) return undefined;
  await moveVoid(batch, before, { at: now, now: clock.now() });
  const row = await updateInvoice(batch.tx, organizationId, id, {
    status: "voided",
    voided_at: now,
    payment_overdue: false,
    updated_at: clock.now(),
  });
  const voided = { invoice: row, credits: await findInvoiceCredits(batch, organizationId, [id]), at: now };
  for (const { giveBack } of credits.sources) await giveBack(batch, organizationId, voided);
  await tell(batch, row, "invoice.voided", clock);
  return row;
}

/** Once: a lost dispute stays lost. */
export async function loseDispute(
  tx: Tx,
  { clock }: InvoiceWorkDeps,
  { organizationId, id }: Addressed,
): Promise<InvoiceRow> {
  const { row: before, now } = await holdInvoice(tx, organizationId, id, clock);
  if (before.status === "draft") throw invoiceErrors.problem("not_disputable");
  if (before.payment_dispute_lost_at !== null) return before;
  await moveDispute(tx, before, { at: now, now: clock.now() });
  const row = await updateInvoice(tx, organizationId, id, {
    payment_dispute_lost_at: now,
    payment_overdue: false,
    updated_at: clock.now(),
  });
  const object = { invoice: await describeInvoice(alone(tx), organizationId, row) };
  const change = { webhookType: "invoice.payment_dispute_lost", objectType: "payment_dispute_lost", objectId: id };
  await publish(alone(tx), organizationId, { ...change, object, once: true }, clock.now());
  return row;
}

/** A failed invoice is retried automatically until it succeeds, so no invoice is in a state to be retried. */
export async function retryInvoice(
  tx: Tx,
  { clock }: InvoiceWorkDeps,
  { organizationId, id }: Addressed,
): Promise<InvoiceRow> {
  await holdInvoice(tx, organizationId, id, clock);
  throw invoiceErrors.problem("invalid_status");
}
