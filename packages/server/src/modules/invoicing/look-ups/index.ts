export { findBalance, findPaidAhead, type PaidAheadRow, sumFeesOfPeriod } from "./store.ts";
