import { defineErrors } from "../../../http/problem.ts";

export const explanationErrors = defineErrors({
  too_many_events_to_explain: {
    status: 405,
    meaning:
      "The fee has more than 200,000 events, and its charge is prorated or a percentage of a recurring metric. Contributions of single events are not available for it. Use the explanation of the fee, which shows the totals.",
  },
});
