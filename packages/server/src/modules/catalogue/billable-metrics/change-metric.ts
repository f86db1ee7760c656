/** Changes and deletes billable metrics. Plans with charges on them follow in the same transaction. */
import { isDeepStrictEqual } from "node:util";
import { type Members, metricAfterUpdate } from "@tallystick/core/catalog";
import { accept } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeMetric } from "./describe-metrics.ts";
import { billableMetricErrors } from "./errors.ts";
import { type ApiMetric, fromRow, type MetricRow, toRow } from "./schema.ts";
import { isAttached, lockMetric, updateMetric } from "./store.ts";

export type MetricDeps = {
  clock: Clock;
  /** Removes the values that the metric no longer has from the filters of charges. */
  onFiltersChanged: (tx: Tx, organizationId: string, metric: MetricRow, now: Temporal.Instant) => Promise<void>;
  /** Removes the charges on the metric from their plans. */
  onDeleted: (tx: Tx, organizationId: string, metricId: string, now: Temporal.Instant) => Promise<void>;
};

export async function changeMetric(
  tx: Tx,
  organizationId: string,
  { code, change }: { code: string; change: Members },
  { clock, onFiltersChanged }: MetricDeps,
): Promise<ApiMetric> {
  const row = await takeMetric(tx, organizationId, code);
  const current = fromRow(row);
  const metric = accept(metricAfterUpdate(current, change, await isAttached(tx, organizationId, row.id)));
  const now = clock.now();
  const changed = await updateMetric(tx, organizationId, row.id, { ...toRow(metric), updated_at: now });
  if (!isDeepStrictEqual(metric.filters, current.filters)) await onFiltersChanged(tx, organizationId, changed, now);
  return describeMetric(tx, organizationId, changed);
}

/** The response shows the metric before the deletion, with its uses. */
export async function deleteMetric(
  tx: Tx,
  organizationId: string,
  code: string,
  { clock, onDeleted }: MetricDeps,
): Promise<ApiMetric> {
  const row = await takeMetric(tx, organizationId, code);
  const described = await describeMetric(tx, organizationId, row);
  const now = clock.now();
  await updateMetric(tx, organizationId, row.id, { deleted_at: now });
  await onDeleted(tx, organizationId, row.id, now);
  return described;
}

async function takeMetric(tx: Tx, organizationId: string, code: string): Promise<MetricRow> {
  const row = await lockMetric(tx, organizationId, code);
  if (!row) throw billableMetricErrors.problem("billable_metric_not_found");
  return row;
}
