/** The messages about credit notes. */
import { namedObject } from "../../../http/named-object.ts";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { customerSchema } from "../../customers/index.ts";
import { creditNoteSchema } from "./to-api.ts";

/** The note with its customer. */
export const creditNoteMessage = of(
  "credit_note",
  namedObject("CreditNoteWithCustomer", { ...creditNoteSchema.properties, customer: customerSchema }),
);

export const creditNoteMessages: MessageTypes = {
  "credit_note.created": creditNoteMessage("A credit note is issued, manually or for prepaid unused time."),
};
