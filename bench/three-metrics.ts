/** The metrics that benches bill: a count, a sum and a unique count. */
import type { Call } from "../prove/served-api.ts";

const METRICS = {
  calls: { aggregation_type: "count_agg" },
  data: { aggregation_type: "sum_agg", field_name: "gb" },
  users: { aggregation_type: "unique_count_agg", field_name: "user" },
};
export const METRIC_CODES = Object.keys(METRICS);

/** Returns their ids in the order of the codes. */
export async function makeMetrics(call: Call): Promise<string[]> {
  const ids: string[] = [];
  for (const [code, members] of Object.entries(METRICS)) {
    const { billable_metric } = await call<{ billable_metric: { svc_id: string } }>("POST", "/billable_metrics", {
      billable_metric: { name: code, code, ...members },
    });
    ids.push(billable_metric.svc_id);
  }
  return ids;
}
