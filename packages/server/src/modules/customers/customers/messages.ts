/** The messages about customers. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { customerSchema } from "./to-api.ts";

const customer = of("customer", customerSchema);

export const customerMessages: MessageTypes = {
  "customer.created": customer("A customer is created."),
  "customer.updated": customer("A customer is changed."),
};
