/** The messages about events. */
import { Type } from "@fastify/type-provider-typebox";
import { namedObject } from "../../../http/named-object.ts";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";

const transactionIds = (description: string) => Type.Array(Type.String(), { description });

const eventsErrors = namedObject("EventsErrors", {
  invalid_code: transactionIds("Events that are not billed because no billable metric has their code"),
  missing_aggregation_property: transactionIds(
    "Events that are not billed because they lack the property that the metric needs, or it is not a number",
  ),
  missing_group_key: transactionIds(
    "Events that lack a dimension of the metric, or have a value that it does not know. No filter matches them; if they are billed, they are billed at the charge's own price",
  ),
});

export const eventMessages: MessageTypes = {
  "events.errors": of(
    "events_errors",
    eventsErrors,
  )("Sent five minutes past every hour, if events of the hour before are not billed, or match no filter."),
};
