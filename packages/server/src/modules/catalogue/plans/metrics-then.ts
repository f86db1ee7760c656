/** The metrics of a plan's charges when a version was created: they define the meaning of its filters, and what it counts. */

import { isDeepStrictEqual } from "node:util";
import { ALL_FILTER_VALUES, type Metric } from "@tallystick/core/catalog";
import { type MetricRow, toCoreMetric } from "../billable-metrics/index.ts";
import type { ChargeTerms, PlanTerms } from "./terms.ts";

type MetricThen = Pick<
  MetricRow,
  "code" | "aggregation_type" | "field_name" | "recurring" | "weighted_interval" | "filters"
>;
export type MetricsThen = Readonly<Record<string, MetricThen>>;

export const metricsThenOf = ({ charges }: PlanTerms, rows: ReadonlyMap<string, MetricRow>): MetricsThen =>
  Object.fromEntries(
    charges.flatMap(({ billable_metric_id: id }) => {
      const row = rows.get(id);
      return row ? [[id, toMetricThen(row)]] : [];
    }),
  );

const toMetricThen = ({
  code,
  aggregation_type,
  field_name,
  recurring,
  weighted_interval,
  filters,
}: MetricRow): MetricThen => ({ code, aggregation_type, field_name, recurring, weighted_interval, filters });

/** With their current names. */
export const asTheyWere = (
  rows: readonly MetricRow[],
  { terms, metrics }: { terms: PlanTerms; metrics: MetricsThen | null },
): MetricRow[] => rows.map((row) => ({ ...row, ...(metrics?.[row.id] ?? { filters: filtersOf(terms, row) }) }));

/** For a version that did not store them: its terms still have values that a metric has lost since. */
function filtersOf({ charges }: PlanTerms, row: MetricRow): { key: string; values: string[] }[] {
  const values = new Map(toCoreMetric(row).filters.map(({ key, values }) => [key, new Set(values)]));
  const requested = charges.filter(({ billable_metric_id }) => billable_metric_id === row.id);
  for (const [key, list] of requested.flatMap(({ filters }) =>
    filters.flatMap((filter) => Object.entries(filter.values)),
  ))
    values.set(key, new Set([...(values.get(key) ?? []), ...list.filter((value) => value !== ALL_FILTER_VALUES)]));
  return [...values].map(([key, list]) => ({ key, values: [...list].toSorted() }));
}

/** Whether a filter for all values of a key matches different values since the metric changed. */
export function takesOthers({ filters }: ChargeTerms, before: MetricThen | undefined, row: MetricRow): boolean {
  const keys = filters.flatMap(({ values }) =>
    Object.entries(values).flatMap(([key, list]) => (list.includes(ALL_FILTER_VALUES) ? [key] : [])),
  );
  return keys.some((key) => !before || !isDeepStrictEqual(valuesOf(before, key), valuesOf(row, key)));
}

const valuesOf = ({ filters }: MetricThen, key: string): unknown =>
  (filters as unknown as Metric["filters"]).find((filter) => filter.key === key)?.values;
