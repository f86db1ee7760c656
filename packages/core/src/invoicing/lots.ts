/**
 * Credits come into a wallet in lots. Spending takes granted lots before purchased ones, then the oldest; a purchased lot holds only
 * what was paid.
 */
import { type Minor, minor } from "../money/index.ts";
import { takeInOrder } from "./balances.ts";

export type Lot = {
  readonly id: string;
  readonly kind: "granted" | "purchased";
  readonly createdAt: Temporal.Instant;
  /** What is left of it. */
  readonly remainingMinor: Minor;
};

/** How much is taken from a lot, and what that leaves of it: the derivation of an outbound transaction. */
export type LotTake = { readonly lotId: string; readonly amountMinor: Minor; readonly remainingMinor: Minor };

/** 12.00 of 5.00 and 6.00 that were granted and 10.00 that were bought leave 9.00 of those. */
export function takeFromLots(lots: readonly Lot[], amountMinor: Minor): readonly LotTake[] {
  const sources = lots
    .toSorted(compareSpending)
    .map(({ id, remainingMinor }) => ({ id, balanceMinor: remainingMinor }));
  const takes = takeInOrder(sources, amountMinor);
  const taken = takes.reduce((sum, take) => sum + take.amountMinor, 0n);
  if (taken !== amountMinor) throw new RangeError("The lots hold less than is taken.");
  return takes.map(({ source, amountMinor: part }) => ({
    lotId: source.id,
    amountMinor: part,
    remainingMinor: minor(source.balanceMinor - part),
  }));
}

const RANKS = { granted: 0, purchased: 1 } as const;

const compareSpending = (one: Lot, other: Lot): number =>
  RANKS[one.kind] - RANKS[other.kind] ||
  Temporal.Instant.compare(one.createdAt, other.createdAt) ||
  (one.id < other.id ? -1 : 1);

/** A purchased lot, and what happened to its invoice. */
export type PurchasedLot = {
  readonly remainingMinor: Minor;
  /** Not in the wallet because it is not paid. */
  readonly withheldMinor: Minor;
  readonly writtenOffMinor: Minor;
};

/**
 * What of a purchased lot belongs into its wallet: nothing while it is not paid; then all that is not spent, less what was written
 * off of its invoice, because that is never paid. 100.00 of which 80.00 are spent: 20.00; with 15.00 written off 5.00.
 */
export function lotAfterPayment(lot: PurchasedLot, isPaid: boolean): Minor {
  if (!isPaid) return minor(0n);
  const paid = lot.remainingMinor + lot.withheldMinor - lot.writtenOffMinor;
  return minor(paid > 0n ? paid : 0n);
}

/** What is still to come of a purchase if the rest of its invoice is paid; and what goes back in money if its wallet has ended. */
export const withheldOf = ({ withheldMinor, writtenOffMinor }: Omit<PurchasedLot, "remainingMinor">): Minor =>
  lotAfterPayment({ remainingMinor: minor(0n), withheldMinor, writtenOffMinor }, true);
