/** Rules that the service does not keep yet: each is turned on when the service has it. */
export const SWITCHES = {
  /** An ended wallet holds 0 (26). */
  endedWalletHoldsNothing: false,
  /** A purchase whose payment bounced leaves the wallet (25). */
  purchaseFollowsPayment: false,
  /** An invoice with a refunded note cannot be voided (29). */
  voidOnlyUnspent: false,
  /** A customer is deleted before the end of its life, and its documents live on. */
  deleteInTheMiddle: true,
} as const satisfies Record<string, boolean>;
