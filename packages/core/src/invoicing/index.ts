export type { Wallet } from "./balances.ts";
export {
  type BillFee,
  type BillFeeDerivation,
  billFeeFrom,
  type InAdvanceFeeDerivation,
  type UsageFeeDerivation,
} from "./bill-fee.ts";
export type { BillInput } from "./bill-input.ts";
export {
  type CreditableInvoice,
  type CreditNote,
  type CreditNoteEstimate,
  type CreditNoteRefusal,
  type CreditNoteRequest,
  computeCreditNote,
  creditForUnused,
  estimateCreditNote,
  type RequestedItem,
  refundForPurchase,
} from "./compute-credit-note.ts";
export { computeInvoice, type InvoiceInput } from "./compute-invoice.ts";
export { type AppliedCoupon, freshCoupon } from "./coupon.ts";
export { type CreditsDerivation, creditsAmountFrom, creditsOf, explainCredits } from "./credits.ts";
export { draftDates, finalizedDates, type InvoiceDates, isOverdue, issuedDates, overdueAt } from "./dates.ts";
export {
  type EventFacts,
  type EventFault,
  type EventFee,
  type EventStatus,
  faultsOfEvent,
  type Life,
  livingAt,
  NOT_BILLED_REASONS,
  statusOfEvent,
} from "./event-status.ts";
export { afterCoupons, type Fee, type FeeItem, type Tax } from "./fee.ts";
export { countedFor, feesOfBill } from "./fees-of-bill.ts";
export type { InvoiceDerivation } from "./invoice-derivation.ts";
export { invoiceOfBills } from "./invoice-of-bills.ts";
export { AMOUNT_MAX, checkLimits, explainLimit } from "./limits.ts";
export { type Lot, type LotTake, lotAfterPayment, takeFromLots, withheldOf } from "./lots.ts";
export { creditNoteNumber, customerSlug, defaultPrefix, draftNumber, invoiceNumber } from "./numbers.ts";
export { explainOneOff, type OneOffDerivation, oneOffFee } from "./one-off-fee.ts";
export { depletion, ongoingBalances } from "./ongoing-balance.ts";
export { parseWallet, walletAfterUpdate } from "./parse-wallet.ts";
export {
  amountDue,
  billedEntries,
  disputedEntries,
  type Entry,
  type FeePaymentStatus,
  feeMovements,
  type Movement,
  markPaid,
  movedEntries,
  type OwedInvoice,
  receivePayment,
  reversePayment,
  voidedEntries,
  writeOff,
} from "./receivable.ts";
export { regroupPaidFees, type StandaloneFee } from "./regroup-paid-fees.ts";
export { spendableAfter } from "./spendable-after.ts";
export { type CustomerTaxes, type FeeTaxes, feeTaxes, taxesFor } from "./tax.ts";
export { parseTopUp, parseTopUpLabel, type TopUp, type TopUpLabel } from "./top-up.ts";
export { isThresholdReached, nextTopUpAt, ruleTopUps, type TopUpRule } from "./top-up-rule.ts";
export { feeKeyOf, pricesSoFar } from "./usage-fees.ts";
export { acceptedAtEnd, type PaidWindow, type UsageQuery, usageInArrears, usageOfBill } from "./usage-of-bill.ts";
export { type UsageTotals, usageTotals } from "./usage-totals.ts";
export {
  giveBackCoupon,
  giveBackCreditNote,
  giveBackWallet,
  keepsInvoice,
  mayVoid,
  type VoidableInvoice,
  voidCreditNote,
} from "./void.ts";
export type { Metadata, MetadataPair } from "./wallet-metadata.ts";
