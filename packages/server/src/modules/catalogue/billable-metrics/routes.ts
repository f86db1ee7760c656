/** CRUD of /billable_metrics, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { codedList } from "../../../http/coded-resource.ts";
import { changeMetric, createMetric, deleteMetric, type MetricDeps } from "./change-metric.ts";
import { describeMetric, describeMetrics } from "./describe-metrics.ts";
import { billableMetricErrors } from "./errors.ts";
import { metricSchemas } from "./schema.ts";
import { findMetric, pageOfMetrics } from "./store.ts";

export const billableMetricRoutes =
  (deps: MetricDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "billable_metric", activity: "difference" } as const;

    app.post("/billable_metrics", { schema: metricSchemas.create, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        billable_metric: await createMetric(tx, organizationId, request.body.billable_metric, deps),
      })),
    );

    app.get("/billable_metrics", { schema: metricSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfMetrics(tx, organizationId, codedList.read(request.query));
        return { billable_metrics: await describeMetrics(tx, organizationId, rows), meta };
      }),
    );

    app.get("/billable_metrics/:code", { schema: metricSchemas.show, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findMetric(tx, organizationId, request.params.code);
        if (!row) throw billableMetricErrors.problem("billable_metric_not_found");
        return { billable_metric: await describeMetric(tx, organizationId, row) };
      }),
    );

    app.put("/billable_metrics/:code", { schema: metricSchemas.change, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const requested = {
          code: request.params.code,
          change: request.body.billable_metric,
          precondition: request.precondition.bind(request),
        };
        return { billable_metric: await changeMetric(tx, organizationId, requested, deps) };
      }),
    );

    app.delete("/billable_metrics/:code", { schema: metricSchemas.delete, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        billable_metric: await deleteMetric(tx, organizationId, request.params.code, deps),
      })),
    );
  };
