export { fromOrder, isUpTo, toCut, toOrder } from "./acceptance.ts";
export { computeUsageInArrears } from "./current-usage.ts";
export { usageErrors } from "./errors.ts";
export { ADVANCE_FEES_SOURCE } from "./estimate-fees.ts";
export type {
  AcceptedEvent,
  BucketScope,
  Cut,
  EventStore,
  MeasuredBucket,
  MeasuredCharge,
  UsageScope,
} from "./event-store.ts";
export { LISTED_MAX, refuseLongLists } from "./list-limit.ts";
export { loadAllOfCustomer, toCustomerTaxes, toFeeItem } from "./load-subscribed.ts";
export { loadTallies } from "./load-tally.ts";
export { type FoundUsage, measureBuckets } from "./measure-buckets.ts";
export {
  type ChargeReading,
  hasList,
  hasTurns,
  type MetricReading,
  NO_FILTER,
  placeOfBucket,
  readingsOf,
  withCharges,
} from "./metric-reading.ts";
export { createPostgresEventStore } from "./postgres-event-store.ts";
export { usageRoutes } from "./routes.ts";
export type { AcceptedRow, BucketRow, TurnRow, TurnsRow } from "./rows.ts";
export { toAccepted } from "./to-accepted.ts";
export { type ApiCustomerUsage, customerUsageSchema } from "./to-api.ts";
