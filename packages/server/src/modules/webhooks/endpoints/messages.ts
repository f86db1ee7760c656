/** The messages about endpoints. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { publishedEndpointSchema } from "./schema.ts";

export const endpointMessages: MessageTypes = {
  "webhook_endpoint.disabled": of(
    "webhook_endpoint",
    publishedEndpointSchema,
  )("An endpoint answered 410, or accepted nothing for three days. The other endpoints receive this message."),
};
