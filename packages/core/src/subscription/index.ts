export {
  type AtEndRequest,
  agreeAtEnd,
  CREDIT_NOTES_AT_END,
  INVOICES_AT_END,
  refundsUnused,
  skipsBill,
  withAtEnd,
} from "./at-end.ts";
export { type Bill, periodicBill, startingBill, terminatingBill, trialEndBill } from "./bill.ts";
export { chargesInArrears, chargesRenewed } from "./billed-charges.ts";
export {
  type Accepted,
  type BilledBefore,
  type ChargePart,
  type ChargeParts,
  type Days,
  type ReturnedDays,
  renameCharges,
  type Takeover,
} from "./charge-parts.ts";
export { acceptedBeforeWindow, currentUsage, usageWindowAt } from "./current-usage.ts";
export { DUE_KINDS, type Due, dueInstants } from "./due.ts";
export { type SubscriptionFee, type SubscriptionFeeDerivation, subscriptionFee, subscriptionFeeFrom } from "./fee.ts";
export { type ComingBill, comingBills, type EarlierBill, periodicBillAt, type WaitingChange } from "./next-bills.ts";
export { boundaryAfter } from "./open-periods.ts";
export { changePlan, type PlanChange } from "./plan-change.ts";
export { daysFromUnits, type PaidDays, type ReturnedDerivation, returnedCredit } from "./returned-days.ts";
export { daysOf, type Span } from "./span.ts";
export { activate, type Past } from "./start.ts";
export {
  decideSubscribe,
  reconsiderDowngrade,
  type Situation,
  type SubscribeDecision,
  type SubscribeRequest,
} from "./subscribe.ts";
export type {
  Active,
  Canceled,
  Chain,
  Downgrade,
  Started,
  Subscription,
  Terminated,
  Upcoming,
} from "./subscription.ts";
export { cancel, closePeriod, endTrial, takeDowngrade, terminate } from "./transitions.ts";
export { type BilledFee, type UnusedCredit, type UnusedCreditDerivation, unusedCredit } from "./unused-credit.ts";
export { decideUpdate, withEndOf } from "./update.ts";
