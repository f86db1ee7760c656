/** The messages about invoices. */
import { Type } from "@fastify/type-provider-typebox";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { extendedInvoiceSchema } from "./to-api.ts";

const invoice = of("invoice", extendedInvoiceSchema);

export const invoiceMessages: MessageTypes = {
  "invoice.created": invoice("An invoice is finalized."),
  "invoice.drafted": invoice("An invoice is made that can still change during its grace period."),
  "invoice.one_off_created": invoice("An invoice of add-ons is made."),
  "invoice.paid_credit_added": invoice("An invoice of prepaid credits is made."),
  "invoice.payment_dispute_lost": of(
    "payment_dispute_lost",
    Type.Object({ invoice: extendedInvoiceSchema }),
  )("A dispute over the payment of an invoice is lost."),
  "invoice.payment_overdue": invoice("The day on which an invoice was due has passed, and it is not paid."),
  "invoice.payment_status_updated": invoice("An invoice is paid, or its payment failed or is open again."),
  "invoice.voided": invoice("An invoice is voided."),
};
