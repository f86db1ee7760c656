/** The messages about invoices. */
import { Type } from "@fastify/type-provider-typebox";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { extendedInvoiceSchema } from "./to-api.ts";

const invoice = of("invoice", extendedInvoiceSchema);

export const invoiceMessages: MessageTypes = {
  "invoice.created": invoice("An invoice is finalized."),
  "invoice.drafted": invoice("A draft invoice is created. It can change during its grace period."),
  "invoice.one_off_created": invoice("An invoice of add-ons is created."),
  "invoice.paid_credit_added": invoice("An invoice of prepaid credits is created."),
  "invoice.payment_dispute_lost": of(
    "payment_dispute_lost",
    Type.Object({ invoice: extendedInvoiceSchema }),
  )("A dispute over the payment of an invoice is lost."),
  "invoice.payment_overdue": invoice("The due date of an invoice has passed, and it is not paid."),
  "invoice.payment_status_updated": invoice(
    "The payment status of an invoice changed: it is paid, failed or open again.",
  ),
  "invoice.voided": invoice("An invoice is voided."),
};
