export { consumeFor, consumeNext, consumeSoon } from "./consume-events.ts";
export { askToRegroup, askToRegroupLate, regroupDueKinds } from "./regroup-paid-fees.ts";
