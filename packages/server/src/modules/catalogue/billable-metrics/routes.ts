/** CRUD of /billable_metrics, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { parseMetric } from "@tallystick/core/catalog";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import { accept } from "../../../http/problem.ts";
import { newId } from "../../../platform/new-id.ts";
import { changeMetric, deleteMetric, type MetricDeps } from "./change-metric.ts";
import { describeMetric, describeMetrics } from "./describe-metrics.ts";
import { billableMetricErrors } from "./errors.ts";
import { metricSchemas, toRow } from "./schema.ts";
import { findMetric, insertMetric, pageOfMetrics } from "./store.ts";

export const billableMetricRoutes =
  (deps: MetricDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "billable_metric" };

    app.post("/billable_metrics", { schema: metricSchemas.create, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const metric = accept(parseMetric(request.body.billable_metric));
        const now = deps.clock.now();
        const row = { ...toRow(metric), id: newId(), created_at: now, updated_at: now };
        return {
          billable_metric: await describeMetric(tx, organizationId, await insertMetric(tx, organizationId, row)),
        };
      }),
    );

    app.get("/billable_metrics", { schema: metricSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const page = readPage(request.query);
        const { rows, total } = await pageOfMetrics(tx, organizationId, page);
        return { billable_metrics: await describeMetrics(tx, organizationId, rows), meta: toApiMeta(page, total) };
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
        const requested = { code: request.params.code, change: request.body.billable_metric };
        return { billable_metric: await changeMetric(tx, organizationId, requested, deps) };
      }),
    );

    app.delete("/billable_metrics/:code", { schema: metricSchemas.delete, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        billable_metric: await deleteMetric(tx, organizationId, request.params.code, deps),
      })),
    );
  };
