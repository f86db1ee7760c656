export { ADVANCE_FEES, type ConsumeDeps, consumeFor, consumeNext, consumeSoon, retryEvent } from "./consume-events.ts";
export { askToRegroup, regroupDueKind } from "./regroup-paid-fees.ts";
