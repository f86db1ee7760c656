/** The names of wallet due kinds in the database. */
export const EXPIRY_DUE = "wallet_expiry";
export const TOP_UP_DUE = "wallet_top_up";
