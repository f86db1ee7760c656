export { findBalance, findPaidAhead, findWaitingInvoice, type PaidAheadRow, sumFeesOfPeriod } from "./store.ts";
