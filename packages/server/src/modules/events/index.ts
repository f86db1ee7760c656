export { eventErrors } from "./errors.ts";
export { makeEventPartitions } from "./make-partitions.ts";
export { eventRoutes } from "./routes.ts";
export { readSentProperties } from "./sent-properties.ts";
