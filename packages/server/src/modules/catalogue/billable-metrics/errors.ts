import { defineErrors, type Problem } from "../../../http/problem.ts";

export const billableMetricErrors = defineErrors({
  billable_metric_not_found: {
    status: 404,
    meaning: "No billable metric of this organization has that code. Create it first.",
  },
  billable_metrics_not_found: {
    status: 404,
    meaning:
      "A metric does not exist in this organization, or was deleted: a charge's `billable_metric_id` or `billable_metric_code`, " +
      "or a code in `billable_metric_codes`. Create it first, or leave it out.",
  },
  not_compatible_with_aggregation_type: {
    status: 422,
    meaning:
      "Only `sum_agg`, `unique_count_agg` and `weighted_sum_agg` carry their value over to the next period. " +
      "Leave out `recurring`, or choose one of these.",
  },
});

/** `names`: the ids and codes that no metric has. */
export const metricsNotFound = (names: readonly string[]): Problem =>
  billableMetricErrors.problem("billable_metrics_not_found", names);
