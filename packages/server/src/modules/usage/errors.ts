import { defineErrors } from "../../http/problem.ts";

export const usageErrors = defineErrors({
  no_active_subscription: {
    status: 405,
    meaning:
      "The customer has no active subscription with that `external_subscription_id`. `GET /subscriptions` lists its subscriptions.",
  },
  does_not_match_an_instant_charge: {
    status: 422,
    meaning:
      "The plan of the subscription has no charge in advance on this metric, so an event has no fee of its own. " +
      "Read the current usage instead.",
  },
  value_is_not_valid_number: {
    status: 422,
    meaning: "The property that the metric aggregates is missing, or is not a plain decimal such as `12.5`.",
  },
  too_many_events_one_by_one: {
    status: 405,
    meaning:
      "A charge whose price depends on single events (prorated, or a percentage with limits or free units) has more than two million of them " +
      "in the period. Send sums instead of single events, or use a price that depends on the total.",
  },
  usage_not_ready: {
    status: 503,
    meaning:
      "ClickHouse, which usage is read from, is unreachable or does not have all accepted events yet. New events are still accepted. " +
      "Send the request again after `Retry-After` seconds.",
  },
});
