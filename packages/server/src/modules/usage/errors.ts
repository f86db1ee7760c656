import { defineErrors } from "../../http/problem.ts";

export const usageErrors = defineErrors({
  no_active_subscription: {
    status: 405,
    meaning:
      "The customer has no active subscription with that `external_subscription_id`. Look at `GET /subscriptions` for those it has.",
  },
  does_not_match_an_instant_charge: {
    status: 422,
    meaning:
      "The plan of the subscription has no charge on this metric that is paid in advance, so an event has no fee of its own. " +
      "Look at the current usage instead.",
  },
  value_is_not_valid_number: {
    status: 422,
    meaning: "The property that the metric adds up is missing, or not a plain decimal such as `12.5`.",
  },
  too_many_events_one_by_one: {
    status: 405,
    meaning:
      "A charge whose price looks at single events (prorated, or a percentage with limits or free units) has more than two million of them " +
      "in the period. Send sums instead of single events, or use a price that looks at the total.",
  },
  usage_not_ready: {
    status: 503,
    meaning:
      "ClickHouse, which usage is read from, is out of reach or does not have all accepted events yet. Events are accepted all the same. " +
      "Send the request again after `Retry-After` seconds.",
  },
});
