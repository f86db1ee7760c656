/** The messages about parked items. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { parkedItemSchema } from "./schema.ts";

export const parkedItemMessages: MessageTypes = {
  "billing.parked": of(
    "parked_item",
    parkedItemSchema,
  )("An item cannot be billed and is parked, while everything else goes on. Retry or skip it."),
};
