/** Creates, changes and deletes billable metrics. Plans with charges on them follow in the same transaction. */
import { isDeepStrictEqual } from "node:util";
import { type Members, metricAfterUpdate, parseMetric } from "@tallystick/core/catalog";
import type { Precondition } from "../../../http/etags.ts";
import { accept } from "../../../http/problem.ts";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeMetric } from "./describe-metrics.ts";
import { billableMetricErrors } from "./errors.ts";
import { type ApiMetric, fromRow, type MetricRow, toRow } from "./schema.ts";
import { insertMetric, isAttached, lockMetric, updateMetric } from "./store.ts";

export type MetricDeps = {
  clock: Clock;
  /** Removes the values that the metric no longer has from the filters of charges. */
  onFiltersChanged: (tx: Tx, organizationId: string, metric: MetricRow, now: Temporal.Instant) => Promise<void>;
  /** Removes the charges on the metric from their plans. */
  onDeleted: (tx: Tx, organizationId: string, metricId: string, now: Temporal.Instant) => Promise<void>;
};

export async function createMetric(
  tx: Tx,
  organizationId: string,
  members: Members,
  { clock }: MetricDeps,
): Promise<ApiMetric> {
  const metric = accept(parseMetric(members));
  const now = clock.now();
  const columns = { ...toRow(metric), id: newId(), created_at: now, updated_at: now };
  const row = await insertMetric(tx, organizationId, columns);
  return tell(tx, organizationId, "billable_metric.created", {
    metric: await describeMetric(tx, organizationId, row),
    now,
  });
}

export async function changeMetric(
  tx: Tx,
  organizationId: string,
  { code, change, precondition }: { code: string; change: Members; precondition: Precondition },
  { clock, onFiltersChanged }: MetricDeps,
): Promise<ApiMetric> {
  const row = await takeMetric(tx, organizationId, code);
  await precondition(async () => ({ billable_metric: await describeMetric(tx, organizationId, row) }));
  const current = fromRow(row);
  const metric = accept(metricAfterUpdate(current, change, await isAttached(tx, organizationId, row.id)));
  const now = clock.now();
  const changed = await updateMetric(tx, organizationId, row.id, { ...toRow(metric), updated_at: now });
  if (!isDeepStrictEqual(metric.filters, current.filters)) await onFiltersChanged(tx, organizationId, changed, now);
  return tell(tx, organizationId, "billable_metric.updated", {
    metric: await describeMetric(tx, organizationId, changed),
    now,
  });
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
  return tell(tx, organizationId, "billable_metric.deleted", { metric: described, now });
}

async function tell(
  tx: Tx,
  organizationId: string,
  webhookType: "billable_metric.created" | "billable_metric.updated" | "billable_metric.deleted",
  { metric, now }: { metric: ApiMetric; now: Temporal.Instant },
): Promise<ApiMetric> {
  const once = webhookType !== "billable_metric.updated";
  const change = { webhookType, objectType: "billable_metric", objectId: metric.svc_id, object: metric, once };
  await publish(alone(tx), organizationId, change, now);
  return metric;
}

async function takeMetric(tx: Tx, organizationId: string, code: string): Promise<MetricRow> {
  const row = await lockMetric(tx, organizationId, code);
  if (!row) throw billableMetricErrors.problem("billable_metric_not_found");
  return row;
}
