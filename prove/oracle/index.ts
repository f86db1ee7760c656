// The door of the oracle.

export { oracleAggregate } from "@tallystick/second-opinion/aggregate";
export { oracleFilter } from "@tallystick/second-opinion/filter";
export { oracleInvoice } from "@tallystick/second-opinion/invoice";
export { oraclePrice } from "@tallystick/second-opinion/pricing";
export { oracleProrated } from "@tallystick/second-opinion/prorated";
export { rational, toText } from "@tallystick/second-opinion/rational";
export { oracleCommitment, oracleMinimum, oracleSubscriptionFee } from "@tallystick/second-opinion/subscription";
export { oracleCreditNote } from "./credit-note.ts";
export { type CustomerOutcome, type InvoiceAnswer, oracleCustomer } from "./customer.ts";
export { oracleInAdvance } from "./in-advance.ts";
export { oracleLocalDay } from "./local-days.ts";
export { oraclePeriods } from "./periods.ts";
