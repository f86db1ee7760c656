/** The messages about fees. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { feeSchema } from "./to-api.ts";

export const feeMessages: MessageTypes = {
  "fee.created": of("fee", feeSchema)("An event created a fee in advance."),
};
