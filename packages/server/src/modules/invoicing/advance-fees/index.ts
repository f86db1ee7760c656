export { ADVANCE_FEES, type ConsumeDeps, consumeFor, consumeNext, consumeSoon, retryEvent } from "./consume-events.ts";
export { loadTally } from "./load-tally.ts";
export { askToRegroup, askToRegroupLate, askToRegroupUnbilled, regroupDueKinds } from "./regroup-paid-fees.ts";
