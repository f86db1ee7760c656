/** The messages about customers. */
import { messageOf as of, type MessageTypes } from "../../../jobs/message-types.ts";
import { customerSchema } from "./to-api.ts";

const customer = of("customer", customerSchema);

export const customerMessages: MessageTypes = {
  "customer.created": customer("A customer is made."),
  "customer.updated": customer("A customer is changed."),
};
