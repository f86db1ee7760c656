/** What is metered: which events, which of their properties, and how they are aggregated. */

/** Only a sum, a unique count and a weighted sum can carry their value over periods. */
export type Aggregation =
  | { readonly type: "count" }
  | { readonly type: "sum"; readonly field: string; readonly isRecurring: boolean }
  | { readonly type: "max"; readonly field: string }
  | { readonly type: "latest"; readonly field: string }
  | { readonly type: "unique_count"; readonly field: string; readonly isRecurring: boolean }
  | { readonly type: "weighted_sum"; readonly field: string; readonly isRecurring: boolean };

export type MetricFilter = { readonly key: string; readonly values: readonly string[] };

export type Metric = {
  readonly code: string;
  readonly aggregation: Aggregation;
  readonly filters: readonly MetricFilter[];
};

/** A metric with its name and description. */
export type MetricDefinition = Metric & {
  readonly name: string;
  readonly description: string | null;
  /** As sent. It only has a meaning for a weighted sum, which must have it. */
  readonly weightedInterval: "seconds" | null;
};

export const isRecurring = (aggregation: Aggregation): boolean =>
  "isRecurring" in aggregation && aggregation.isRecurring;
