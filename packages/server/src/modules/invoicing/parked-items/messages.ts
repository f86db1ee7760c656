/** The messages about parked items. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { parkedItemSchema } from "./schema.ts";

export const parkedItemMessages: MessageTypes = {
  "billing.parked": of(
    "parked_item",
    parkedItemSchema,
  )("Something cannot be billed. It is set aside, everything else goes on; retry or skip it."),
};
