export { followEventsFor, followNextEvents, retryWalletEvent, WALLET_EVENTS } from "./follow-events.ts";
export {
  askForRefresh,
  claimRefresh,
  countWaitingRefreshes,
  dropRefreshes,
  findRefreshOnTestClock,
  finishRefresh,
  isWaitingOnTestClock,
  postponeRefresh,
  type RefreshRequest,
  releaseRefresh,
} from "./store.ts";
