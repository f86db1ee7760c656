/** Reads a draft by the code that reads it on the service: the plan, or every fault by the path of its member. */
import type { BillableMetric } from "@tallystick/client";
import { type Faults, type Metric, type MetricsById, type PlanDefinition, parsePlan } from "@tallystick/core/catalog";
import { type DraftPlan, membersOf } from "./draft.ts";

export type Reading = { readonly plan: PlanDefinition | undefined; readonly faults: Faults };

/** A price is simulated before its metric is chosen. */
const NO_METRIC: Metric = { code: "", aggregation: { type: "sum", field: "", isRecurring: false }, filters: [] };
const NOT_CHOSEN = "not chosen";
/** Neither changes a price, and a plan that is being written has none at first. */
const UNNAMED = { name: "plan", code: "plan", tax_codes: [] };

const AGGREGATIONS = {
  count_agg: "count",
  sum_agg: "sum",
  max_agg: "max",
  latest_agg: "latest",
  unique_count_agg: "unique_count",
  weighted_sum_agg: "weighted_sum",
} as const;

export const metricsById = (metrics: readonly BillableMetric[]): MetricsById =>
  new Map([
    ...metrics.map((metric) => [metric.svc_id, toCoreMetric(metric)] as const),
    [NOT_CHOSEN, NO_METRIC] as const,
  ]);

const toCoreMetric = ({ code, aggregation_type, field_name, recurring, filters }: BillableMetric): Metric => ({
  code,
  aggregation: {
    type: AGGREGATIONS[aggregation_type],
    field: field_name ?? "",
    isRecurring: recurring,
  } as Metric["aggregation"],
  filters,
});

/** The plan to simulate, also while its name and its metrics are missing, and what is wrong with the draft. */
export function readDraft(draft: DraftPlan, metrics: MetricsById): Reading {
  const read = parsePlan(membersOf(draft), metrics);
  if (read.ok) return { plan: read.value, faults: {} };
  const charges = draft.charges.map((charge) => ({ ...charge, metricId: charge.metricId || NOT_CHOSEN }));
  const simulated = parsePlan({ ...membersOf({ ...draft, charges }), ...UNNAMED }, metrics);
  return { plan: simulated.ok ? simulated.value : undefined, faults: read.error };
}
