export { followEventsFor, followNextEvents } from "./follow-events.ts";
export {
  askForRefresh,
  beginCursor,
  claimRefresh,
  findRefreshOnTestClock,
  finishRefresh,
  isWaitingOnTestClock,
  postponeRefresh,
  type RefreshRequest,
  releaseRefresh,
} from "./store.ts";
