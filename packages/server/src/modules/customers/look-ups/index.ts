export { findClocksOfSubscriptions, hasAmounts } from "./store.ts";
