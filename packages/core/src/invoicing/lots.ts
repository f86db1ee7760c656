/**
 * Credits enter a wallet in lots. Spending takes granted lots before purchased ones, then the oldest. A purchased lot has only the credits
 * that were paid.
 */
import { type Minor, minor } from "../money/index.ts";
import { takeInOrder } from "./balances.ts";

export type Lot = {
  readonly id: string;
  readonly kind: "granted" | "purchased";
  readonly createdAt: Temporal.Instant;
  /** Its rest. */
  readonly remainingMinor: Minor;
};

/** The amount taken from a lot, and its rest: the derivation of an outbound transaction. */
export type LotTake = { readonly lotId: string; readonly amountMinor: Minor; readonly remainingMinor: Minor };

/** 12.00 taken from grants of 5.00 and 6.00 and a purchase of 10.00 leave 9.00 of the purchase. */
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

/** A purchased lot, and the state of its invoice. */
export type PurchasedLot = {
  readonly remainingMinor: Minor;
  /** Withheld from the wallet because it is not paid. */
  readonly withheldMinor: Minor;
  readonly writtenOffMinor: Minor;
};

/**
 * The part of a purchased lot that belongs in its wallet. Until it is paid, this is nothing. Then it is everything that is not spent, less
 * the written-off amount, which is never paid. 100.00 of which 80.00 are spent: 20.00; with 15.00 written off: 5.00.
 */
export function lotAfterPayment(lot: PurchasedLot, isPaid: boolean): Minor {
  if (!isPaid) return minor(0n);
  const paid = lot.remainingMinor + lot.withheldMinor - lot.writtenOffMinor;
  return minor(paid > 0n ? paid : 0n);
}

/** The credits that a purchase will still bring if the rest of its invoice is paid. If its wallet has ended, this amount is refunded. */
export const withheldOf = ({ withheldMinor, writtenOffMinor }: Omit<PurchasedLot, "remainingMinor">): Minor =>
  lotAfterPayment({ remainingMinor: minor(0n), withheldMinor, writtenOffMinor }, true);
