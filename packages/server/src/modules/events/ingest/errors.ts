import { defineErrors } from "../../../http/problem.ts";

export const eventErrors = defineErrors({
  event_not_found: {
    status: 404,
    meaning: "No event of this organization has that `transaction_id`, or its content was dropped with its month.",
  },
  no_events: { status: 422, meaning: "The list of events is empty. Send 1 to 100." },
  too_many_events: { status: 422, meaning: "More than 100 events in one request. Send them in several." },
  invalid_format: {
    status: 422,
    meaning: "Not a number of seconds since 1970: send an integer, a decimal number, or one of them as text.",
  },
});
