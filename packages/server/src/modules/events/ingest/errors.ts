import { defineErrors } from "../../../http/problem.ts";

export const eventErrors = defineErrors({
  event_not_found: {
    status: 404,
    meaning: "No event of this organization has that `transaction_id`, or its content was dropped with its month.",
  },
  value_already_exist: {
    status: 422,
    meaning:
      "An event of this subscription has that `transaction_id` and other content. Send a new `transaction_id` for a new event; repeat " +
      "an event without any change.",
  },
  no_events: { status: 422, meaning: "The list of events is empty. Send at least one." },
  source_and_id_are_too_long: {
    status: 422,
    meaning: "`source` and `id` of a CloudEvent have more than 254 characters together. Send shorter ones.",
  },
  too_many_events: { status: 422, meaning: "More than 100 events in one request. Send them in several." },
  invalid_format: {
    status: 422,
    meaning:
      "Neither seconds since 1970, as a number or as text, nor an ISO 8601 date and time with an offset. Send `1769850000.5` or " +
      "`2026-01-31T09:00:00.5Z`.",
  },
  looks_like_milliseconds: {
    status: 422,
    meaning:
      "The timestamp looks like milliseconds: as seconds, it is beyond the year 9999. Divide it by 1000; seconds can have a fraction.",
  },
});
