export { billableMetricErrors, metricsNotFound } from "./errors.ts";
export { billableMetricMessages } from "./messages.ts";
export { billableMetricRoutes } from "./routes.ts";
export { type MetricRow, toCoreMetric } from "./schema.ts";
export { findMetricsByCode, findMetricsById, findMetricsEverUsed, pageOfMetrics } from "./store.ts";
