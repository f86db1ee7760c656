/** Voiding a document: when it is allowed, and what is given back. */
import { fail, ok, type Result } from "../catalog/index.ts";
import { type Decimal, type Minor, minor } from "../money/index.ts";
import { type CouponLeft, isUsedUp } from "./coupon.ts";

export type VoidableInvoice = {
  readonly status: "draft" | "finalized" | "voided";
  readonly paymentStatus: "pending" | "succeeded" | "failed";
  readonly isDisputeLost: boolean;
  /** One of its notes prevents it: see `keepsInvoice`. */
  readonly isKeptByCreditNote: boolean;
  /** For an invoice for prepaid credits: some of them are currently spent. */
  readonly isPurchaseSpent: boolean;
  readonly writtenOffMinor: Minor;
};

/** Whether an invoice can be voided: issued, unpaid, not credited, no purchased credits spent, nothing written off, and no dispute lost. */
export function mayVoid(invoice: VoidableInvoice): boolean {
  const isUnpaid = invoice.status === "finalized" && invoice.paymentStatus !== "succeeded" && !invoice.isDisputeLost;
  return isUnpaid && !invoice.isKeptByCreditNote && !invoice.isPurchaseSpent && invoice.writtenOffMinor === 0n;
}

/** A credit note of an invoice that is to be voided. */
export type NoteOfInvoice = {
  /** null: the note is a refund only. */
  readonly creditStatus: "available" | "consumed" | "voided" | null;
  /** null: the note has no refund. */
  readonly refundStatus: "pending" | "succeeded" | "failed" | null;
  /** An invoice has used some of it, even if that invoice was voided later. */
  readonly wasSpent: boolean;
};

/** Whether its invoice must stay: the note can be spent, was spent, or was refunded. A failed refund gave nothing back. */
export function keepsInvoice({ creditStatus, refundStatus, wasSpent }: NoteOfInvoice): boolean {
  const isLive = creditStatus === "available" || creditStatus === "consumed";
  return isLive || wasSpent || refundStatus === "pending" || refundStatus === "succeeded";
}

/** The current state of a coupon that an invoice used. */
export type UsedCoupon = {
  readonly left: CouponLeft;
  readonly status: "active" | "terminated";
  /** A coupon that was withdrawn, or whose customer was deleted, does not become active again. */
  readonly isWithdrawn: boolean;
  readonly creditMinor: Minor;
};

/** Gives a use back: the amount or the invoice counts again, and a coupon that was only used up becomes active again. */
export function giveBackCoupon({
  left,
  status,
  isWithdrawn,
  creditMinor,
}: UsedCoupon): Pick<UsedCoupon, "left" | "status"> {
  const isRevived = isUsedUp(left) && !isWithdrawn;
  return { left: leftBefore(left, creditMinor), status: isRevived ? "active" : status };
}

function leftBefore(left: CouponLeft, creditMinor: Minor): CouponLeft {
  switch (left.type) {
    case "amount":
      return { type: "amount", amountMinor: minor(left.amountMinor + creditMinor) };
    case "uses":
      return { type: "uses", count: left.count + 1 };
    case "forever":
      return left;
  }
}

export type CreditNoteState = {
  readonly status: "available" | "consumed" | "voided";
  readonly balanceMinor: Minor;
};

/**
 * Gives back what a voided invoice took from a note. A note that was voided later stays voided. A deleted customer gets nothing back: the
 * used amount is void, and so is the note if nothing else is left.
 */
export function giveBackCreditNote(
  note: CreditNoteState,
  usedMinor: Minor,
  { isCustomerDeleted }: { isCustomerDeleted: boolean } = { isCustomerDeleted: false },
): CreditNoteState {
  if (note.status === "voided") return note;
  if (isCustomerDeleted) return note.balanceMinor > 0n ? note : { status: "voided", balanceMinor: minor(0n) };
  return { status: "available", balanceMinor: minor(note.balanceMinor + usedMinor) };
}

/** Voids the rest of a note; refused with an API code if there is none. */
export function voidCreditNote(
  note: Pick<CreditNoteState, "balanceMinor">,
): Result<CreditNoteState, "no_voidable_amount"> {
  return note.balanceMinor === 0n ? fail("no_voidable_amount") : ok({ status: "voided", balanceMinor: minor(0n) });
}

export type WalletState = {
  readonly status: "active" | "terminated";
  readonly balanceMinor: Minor;
  readonly consumedMinor: Minor;
  readonly consumedCredits: Decimal;
};

/** Gives back what a voided invoice took from a wallet, to the same lots. A wallet that has ended gets nothing. */
export function giveBackWallet(wallet: WalletState, used: { amountMinor: Minor; credits: Decimal }): WalletState {
  if (wallet.status === "terminated") return wallet;
  return {
    status: "active",
    balanceMinor: minor(wallet.balanceMinor + used.amountMinor),
    consumedMinor: minor(wallet.consumedMinor - used.amountMinor),
    consumedCredits: wallet.consumedCredits.minus(used.credits),
  };
}
