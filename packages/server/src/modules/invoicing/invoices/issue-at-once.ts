/** An invoice that is final in the transaction that creates it: of add-ons, of credits, of one event, and of fees that were paid alone. */
import { finalizedDates, type InvoiceDates } from "@tallystick/core/invoicing";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Payer } from "./load-billing.ts";
import { madeByOf } from "./made-from.ts";
import { type Computed, type InvoiceWorkDeps, saveInvoice } from "./save-invoice.ts";
import { type InvoiceRow, insertInvoice } from "./store.ts";

type AtOnce = {
  payer: Payer;
  invoiceType: "subscription" | "one_off" | "credit" | "advance_charges";
  /** The instant on the customer's clock at which it is created and finalized. */
  at: Temporal.Instant;
  /** The instant it is of, if that is another one. */
  occurredAt?: Temporal.Instant;
  purchaseOrderNumber?: string | null;
  webhookType: string;
};

type Content = Pick<Computed, "computed" | "fees" | "taxRows" | "currency"> & {
  /** Added to which program computed it, in which zone. */
  madeFrom: object;
  /** Those of the instant it is finalized at, unless it names others. */
  dates?: InvoiceDates;
};

/** The customer is locked. `compute` gets the new row, and may put fees that exist on it. */
export async function issueAtOnce(
  batch: Batch,
  deps: InvoiceWorkDeps,
  { payer, invoiceType, at, occurredAt = at, purchaseOrderNumber = null, webhookType }: AtOnce,
  compute: (invoice: InvoiceRow) => Content | Promise<Content>,
): Promise<InvoiceRow> {
  const invoice = await insertInvoice(batch.tx, payer.organization.id, {
    id: newId(),
    customer_id: payer.customer.id,
    invoice_type: invoiceType,
    purchase_order_number: purchaseOrderNumber,
    occurred_at: occurredAt,
    created_at: createdAt(deps, payer, at),
  });
  const { dates = finalizedDates(at, payer), madeFrom, ...content } = await compute(invoice);
  const { timeZone } = payer;
  return saveInvoice(batch, deps, {
    ...content,
    invoice,
    payer,
    dates,
    timeZone,
    madeFrom: { ...madeByOf(deps.engine, timeZone), ...madeFrom },
    newStatus: { status: "finalized", finalizedAt: at },
    webhookType,
  });
}

/** Rows of a customer on a test clock are of its time. */
export const createdAt = (
  { clock }: Pick<InvoiceWorkDeps, "clock">,
  { customer }: Payer,
  at: Temporal.Instant,
): Temporal.Instant => (customer.test_clock_id === null ? clock.now() : at);
