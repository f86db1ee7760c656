export {
  appliedCouponErrors,
  appliedCouponRoutes,
  couponEffects,
  couponSource,
  terminateCouponsOf,
} from "./applied-coupons/index.ts";
export {
  type ApiCreditNote,
  type CreditNoteRow,
  creditNoteErrors,
  creditNoteRoutes,
  creditNoteSchema,
  creditNoteSource,
  describeForMessage,
  describeNote,
  findNote,
  isKeptByNote,
  onInvoiceFinalized,
  onSubscriptionEnded,
  refundPurchase,
} from "./credit-notes/index.ts";
export {
  askForRefresh,
  countWaitingRefreshes,
  followEventsFor,
  followNextEvents,
  isWaitingOnTestClock,
  retryWalletEvent,
  WALLET_EVENTS,
} from "./wallet-refreshes/index.ts";
export {
  endWalletsOf,
  followPayment,
  isPurchaseSpent,
  moveTopUpsOf,
  purchasedCredits,
  type RefreshDeps,
  refreshFor,
  refreshNext,
  retryRefresh,
  transactionSchema,
  WALLET_REFRESHES,
  walletCredits,
  walletDueKinds,
  walletErrors,
  walletRoutes,
  walletSchema,
  walletTransactionRoutes,
} from "./wallets/index.ts";
export { creditNoteMessage, creditNoteMessages } from "./credit-notes/index.ts";
export { walletMessages } from "./wallets/index.ts";
