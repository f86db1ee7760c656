/** The messages about documents. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { creditNoteMessage } from "../../credit/index.ts";
import { invoiceSchema } from "../../invoicing/index.ts";

export const documentMessages: MessageTypes = {
  "credit_note.generated": creditNoteMessage("The PDF of a credit note is ready; `file_url` is a link to it."),
  "invoice.generated": of("invoice", invoiceSchema)("The PDF of an invoice is ready; `file_url` is a link to it."),
};
