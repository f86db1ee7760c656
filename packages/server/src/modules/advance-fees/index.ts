export { consumeFor, consumeNext, consumeSoon } from "./consume-events.ts";
export { askToRegroup, regroupDueKind } from "./regroup-paid-fees.ts";
