/** Billable metrics in their API form, with real counts, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../platform/postgres/database.ts";
import { type ApiMetric, type MetricRow, type MetricUses, toApiMetric } from "./schema.ts";
import { countPlans } from "./store.ts";

/** Of things that this service does not have yet. */
const NOT_YET: Omit<MetricUses, "plans"> = { activeSubscriptions: 0, draftInvoices: 0 };

export async function describeMetrics(
  tx: Tx,
  organizationId: string,
  rows: readonly MetricRow[],
): Promise<ApiMetric[]> {
  if (rows.length === 0) return [];
  const counts = await countPlans(
    tx,
    organizationId,
    rows.map((row) => row.id),
  );
  const plans = new Map(counts.map((count) => [count.billable_metric_id, Number(count.plans)]));
  return rows.map((row) => toApiMetric(row, { ...NOT_YET, plans: plans.get(row.id) ?? 0 }));
}

export async function describeMetric(tx: Tx, organizationId: string, row: MetricRow): Promise<ApiMetric> {
  const [metric] = await describeMetrics(tx, organizationId, [row]);
  assert(metric, "a row has a description");
  return metric;
}
