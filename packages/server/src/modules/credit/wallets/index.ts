export { endWalletsOf, moveTopUpsOf } from "./change-wallet.ts";
export { walletDueKinds } from "./due-kinds.ts";
export { walletErrors } from "./errors.ts";
export { followPayment, isPurchaseSpent } from "./follow-payment.ts";
export { walletMessages } from "./messages.ts";
export { type RefreshDeps, refreshFor, refreshNext, retryRefresh, WALLET_REFRESHES } from "./refresh-balances.ts";
export { purchasedCredits } from "./refund-purchase.ts";
export { walletRoutes } from "./routes.ts";
export { walletCredits } from "./spend.ts";

export { walletTransactionRoutes } from "./transaction-routes.ts";
