import { defineErrors } from "../../../http/problem.ts";

export const explanationErrors = defineErrors({
  too_many_events_to_explain: {
    status: 405,
    meaning:
      "The fee is of a prorated charge, or of a percentage of a recurring metric, and has more than 200,000 events: what each of them contributed cannot be told. The explanation of the fee says what all came to.",
  },
});
