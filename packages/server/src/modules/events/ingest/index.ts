export { digestBody, digestEvent } from "./digest-event.ts";
export { eventErrors } from "./errors.ts";
export { microsecondsOf } from "./event-timestamp.ts";
export { makeEventPartitions } from "./make-partitions.ts";
export { eventRoutes } from "./routes.ts";
export { readSentProperties } from "./sent-properties.ts";
export { type StatusEvent, toStatusEvent } from "./status-event.ts";
