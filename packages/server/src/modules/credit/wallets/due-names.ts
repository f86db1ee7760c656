/** What the due instants of wallets are called in the database. */
export const EXPIRY_DUE = "wallet_expiry";
export const TOP_UP_DUE = "wallet_top_up";
