export { toOrder } from "./acceptance.ts";
export { computeUsageInArrears } from "./current-usage.ts";
export { usageErrors } from "./errors.ts";
export type { Cut, EventStore, MeasuredBucket, MeasuredCharge } from "./event-store.ts";
export { loadAllOfCustomer, toCustomerTaxes, toFeeItem } from "./load-subscribed.ts";
export { loadTallies } from "./load-tally.ts";
export { createPostgresEventStore } from "./postgres-event-store.ts";
export { usageRoutes } from "./routes.ts";
export { type ApiCustomerUsage, customerUsageSchema } from "./to-api.ts";
