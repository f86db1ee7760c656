/** What plans can be made of: metrics of every kind, and some taxes. */
import type { Members, Send } from "../served-api.ts";
import type { Catalog } from "./plan-cases.ts";
import type { Schema } from "./schema-values.ts";

/** What POST /plans takes under `plan`, as the API describes it. */
export function planSchemaIn(description: { paths: Record<string, Record<string, unknown>> }): Schema {
  const post = description.paths["/api/v1/plans"]?.post as { requestBody?: { content?: Members } } | undefined;
  const content = post?.requestBody?.content?.["application/json"] as { schema?: Schema } | undefined;
  const schema = content?.schema?.properties?.plan;
  if (!schema?.properties) throw new Error("The API description does not say what a plan is.");
  return schema;
}

/** Of the n-th metric. */
export const metricCode = (index: number): string => `metric ${index}`;

/** Metrics of every kind, and some taxes. */
export async function makeCatalog(send: Send, schema: Schema): Promise<Catalog> {
  const filters = [
    { key: "region", values: ["eu", "us"] },
    { key: "tier", values: ["gold", "silver", "1"] },
  ];
  const kinds = [
    ...["count_agg", "sum_agg", "max_agg", "unique_count_agg", "weighted_sum_agg", "latest_agg"].map((type) => ({
      type,
      recurring: false,
    })),
    ...["sum_agg", "unique_count_agg", "weighted_sum_agg"].map((type) => ({ type, recurring: true })),
  ];
  const metrics: Catalog["metrics"][number][] = [];
  for (const [index, { type, recurring }] of kinds.entries()) {
    const billable_metric = {
      name: `Metric ${index}`,
      code: metricCode(index),
      aggregation_type: type,
      recurring,
      ...(type === "count_agg" ? {} : { field_name: "value" }),
      ...(type === "weighted_sum_agg" ? { weighted_interval: "seconds" } : {}),
      filters: index % 2 === 0 ? filters : [],
    };
    const { body } = await send("POST", "/billable_metrics", { billable_metric });
    const { svc_id: id } = body.billable_metric as { svc_id: string };
    metrics.push({ id, aggregationType: type, isRecurring: recurring, filters: billable_metric.filters });
  }
  const taxCodes = ["vat", "city"];
  for (const code of taxCodes) await send("POST", "/taxes", { tax: { name: code, code, rate: "10" } });
  return { schema, metrics, taxCodes };
}
