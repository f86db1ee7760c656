/** Rules that the service does not keep yet: each is turned on when the service has it. */
export const SWITCHES = {
  /** An ended wallet holds 0 (26). */
  endedWalletHoldsNothing: true,
  /** A purchase whose payment bounced leaves the wallet (25). */
  purchaseFollowsPayment: true,
  /** An invoice with a refunded note cannot be voided (29). */
  voidOnlyUnspent: true,
  /**
   * An invoice that is paid after a part of it was written off is paid for the rest; after all of it was, the write-off is reversed and the
   * whole is paid. A purchase grants what is paid (25, 36).
   */
  paidAfterWriteOff: true,
  /** Seats that come in the very second of a plan change are billed once (23). */
  changeInTheSameSecond: true,
  /** A late event in advance of a subscription that has ended is counted with those before the end alone. */
  lateEventsOfAnEnd: true,
  /** The preview of a downgrade that waits has the recurring charges of the new plan (37). */
  previewOfDowngrade: true,
} as const satisfies Record<string, boolean>;
