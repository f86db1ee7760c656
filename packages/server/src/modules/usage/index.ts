export { fromOrder, isUpTo, toCut, toOrder } from "./acceptance.ts";
export { type Difference, rebuild, reconcile, relayStatus } from "./clickhouse/reconciliation/index.ts";
export { createRelay, openedUpTo, type Relay } from "./clickhouse/relay/index.ts";
export {
  createRollups,
  type DeriveDeps,
  derivationsOf,
  deriveNext,
  findCellDifferences,
  restartDerivations,
} from "./clickhouse/rollups/index.ts";
export { createClickhouseEventStore } from "./clickhouse/store/index.ts";
export { computeUsageInArrears } from "./current-usage.ts";
export { usageErrors } from "./errors.ts";
export type {
  AcceptedEvent,
  BucketScope,
  Cut,
  EventStore,
  MeasuredBucket,
  UsageScope,
} from "./event-store.ts";

export {
  loadAllOfCustomer,
  loadByExternalId,
  metricOf,
  type Subscribed,
  takeScope,
  toCustomerTaxes,
  toFeeItem,
} from "./load-subscribed.ts";

export {
  hasList,
  readingsOf,
} from "./metric-reading.ts";
export { createPostgresEventStore } from "./postgres-event-store.ts";
export { type MeasuredUsage, readRequested, type UsageReader } from "./read-requested.ts";
export { usageRoutes } from "./routes.ts";

export { type ApiCustomerUsage, customerUsageSchema } from "./to-api.ts";
