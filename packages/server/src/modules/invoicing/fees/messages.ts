/** The messages about fees. */
import { messageOf as of, type MessageTypes } from "../../../jobs/message-types.ts";
import { feeSchema } from "./to-api.ts";

export const feeMessages: MessageTypes = {
  "fee.created": of("fee", feeSchema)("An event made a fee in advance."),
};
