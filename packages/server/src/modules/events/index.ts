export { askForEventChecks, eventCheckJobs } from "./checks/index.ts";
export {
  digestBody,
  digestEvent,
  eventErrors,
  eventRoutes,
  makeEventPartitions,
  microsecondsOf,
  readSentProperties,
  type StatusEvent,
} from "./ingest/index.ts";
