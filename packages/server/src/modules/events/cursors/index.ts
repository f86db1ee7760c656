export { type Follower, followFor, followNext } from "./follow-positions.ts";
export {
  beginCursor,
  type CursorRow,
  type CursorTable,
  findHeads,
  findLaggingCursors,
  findNextEvent,
  lockCursor,
  moveCursor,
} from "./store.ts";
