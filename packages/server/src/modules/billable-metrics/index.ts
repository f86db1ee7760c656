export { billableMetricErrors } from "./errors.ts";
export { billableMetricRoutes } from "./routes.ts";
export { type MetricRow, toCoreMetric } from "./schema.ts";
export { findMetricsByCode, findMetricsById } from "./store.ts";
