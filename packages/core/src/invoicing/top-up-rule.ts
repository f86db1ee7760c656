/** Rules that top up a wallet: on certain days, or when its ongoing balance is low. */
import { type Decimal, fraction, inMajorUnits, type Minor, minor } from "../money/index.ts";
import { dayOf, type Interval, periodAt, startOfDay } from "../time/index.ts";
import { amountOfCredits, type CreditRate } from "./credits.ts";
import type { TopUp } from "./top-up.ts";

export type TopUpRule = {
  readonly trigger:
    | { readonly type: "interval"; readonly interval: Interval; readonly startedAt: Temporal.Instant | null }
    | { readonly type: "threshold"; readonly credits: Decimal };
  readonly method:
    | { readonly type: "fixed"; readonly paidCredits: Decimal; readonly grantedCredits: Decimal }
    /** Credits that the ongoing balance is topped up to. */
    | { readonly type: "target"; readonly credits: Decimal };
};

/** The day that a rule counts from. */
export type TopUpDays = {
  readonly interval: Interval;
  /** When the rule started, else when the wallet was created. */
  readonly anchoredAt: Temporal.Instant;
  readonly timeZone: string;
};

/** The wallet as its rule sees it. */
export type OngoingWallet = CreditRate & {
  /** May be below zero. */
  readonly ongoingBalanceMinor: Minor;
  /** Purchases that are not paid yet. */
  readonly pendingMinor: Minor;
};

/**
 * The first day of a rule that begins after an instant: a wallet of January 31 is topped up when February 29 and March 31 begin. The
 * creation day itself is not included.
 */
export function nextTopUpAt({ interval, anchoredAt, timeZone }: TopUpDays, after: Temporal.Instant): Temporal.Instant {
  const anchor = dayOf(anchoredAt, timeZone);
  const first = startOfDay(anchor, timeZone);
  if (Temporal.Instant.compare(after, first) < 0) return first;
  return periodAt({ interval, billingTime: "anniversary", anchor, timeZone }, after).to;
}

/** Whether the ongoing balance is at or below a threshold. Pending purchases count, so that a rule fires only once. */
export function isThresholdReached(thresholdCredits: Decimal, wallet: OngoingWallet): boolean {
  const balanceMinor = minor(wallet.ongoingBalanceMinor + wallet.pendingMinor);
  return !inMajorUnits(balanceMinor, wallet.currency).isAbove(fraction(thresholdCredits).times(wallet.rate));
}

/** What a rule that fires adds: its fixed credits, or the difference to its target. A target of 200 with 8 ongoing adds 192. */
export function ruleTopUps({ method }: TopUpRule, wallet: OngoingWallet): readonly TopUp[] {
  const topUps: readonly TopUp[] =
    method.type === "fixed"
      ? [
          { kind: "purchased", ...amountOfCredits(method.paidCredits, wallet) },
          { kind: "granted", ...amountOfCredits(method.grantedCredits, wallet) },
        ]
      : [{ kind: "purchased", ...amountOfCredits(method.credits, wallet, wallet.ongoingBalanceMinor) }];
  return topUps.filter(({ amountMinor }) => amountMinor > 0n);
}
