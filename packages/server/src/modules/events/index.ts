export { askForEventChecks, eventCheckJobs, eventMessages } from "./checks/index.ts";
export {
  beginCursor,
  type CursorRow,
  type CursorTable,
  type Follower,
  findHeads,
  findLaggingCursors,
  findNextEvent,
  followFor,
  followNext,
  lockCursor,
  moveCursor,
} from "./cursors/index.ts";
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
