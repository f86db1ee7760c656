export { planErrors } from "./errors.ts";
export { removeChargesOn, removeVanishedFilterValues } from "./follow-metric.ts";
export { planRoutes } from "./routes.ts";
export { findPlans } from "./store.ts";
