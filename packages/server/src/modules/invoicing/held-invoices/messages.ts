/** The messages about held invoices. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { heldInvoiceSchema } from "./schema.ts";

export const heldInvoiceMessages: MessageTypes = {
  "invoice.held": of(
    "held_invoice",
    heldInvoiceSchema,
  )("Two computations of an invoice differ: it is not finalized until an operator releases it."),
};
