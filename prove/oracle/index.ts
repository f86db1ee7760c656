// The door of the oracle.

export { oracleAggregate } from "./aggregate.ts";
export { oracleCreditNote } from "./credit-note.ts";
export { type CustomerOutcome, type InvoiceAnswer, oracleCustomer } from "./customer.ts";
export { oracleFilter } from "./filter.ts";
export { oracleInAdvance } from "./in-advance.ts";
export { oracleInvoice } from "./invoice.ts";
export { oraclePeriods } from "./periods.ts";
export { oraclePrice } from "./pricing.ts";
export { oracleProrated } from "./prorated.ts";
export { rational, toText } from "./rational.ts";
export { oracleCommitment, oracleMinimum, oracleSubscriptionFee } from "./subscription.ts";
