/** Billable metrics in their API form, with real counts, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../../platform/postgres/database.ts";
import { countDraftsOfMetrics, countSubscriptionsOfMetrics } from "../look-ups/index.ts";
import { type ApiMetric, type MetricRow, toApiMetric } from "./schema.ts";
import { countPlans } from "./store.ts";

export async function describeMetrics(
  tx: Tx,
  organizationId: string,
  rows: readonly MetricRow[],
): Promise<ApiMetric[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const plans = new Map(
    (await countPlans(tx, organizationId, ids)).map((count) => [count.billable_metric_id, Number(count.plans)]),
  );
  const subscriptions = new Map(
    (await countSubscriptionsOfMetrics(tx, organizationId, ids)).map((count) => [
      count.billable_metric_id,
      Number(count.subscriptions),
    ]),
  );
  const drafts = new Map(
    (await countDraftsOfMetrics(tx, organizationId, ids)).map((count) => [
      count.billable_metric_id,
      Number(count.drafts),
    ]),
  );
  return rows.map((row) =>
    toApiMetric(row, {
      draftInvoices: drafts.get(row.id) ?? 0,
      plans: plans.get(row.id) ?? 0,
      activeSubscriptions: subscriptions.get(row.id) ?? 0,
    }),
  );
}

export async function describeMetric(tx: Tx, organizationId: string, row: MetricRow): Promise<ApiMetric> {
  const [metric] = await describeMetrics(tx, organizationId, [row]);
  assert(metric, "a row has a description");
  return metric;
}
