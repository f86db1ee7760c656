/** The credit for a fee paid in advance when the subscription ends inside its period. */
import {
  type Decimal,
  decimal,
  exactText,
  type Fraction,
  fraction,
  least,
  type Minor,
  minor,
  truncateTo,
} from "../money/index.ts";
import { countDays, dayOf } from "../time/index.ts";
import { keepsUnused } from "./at-end.ts";
import { share } from "./fee.ts";
import { isBefore, laterDay } from "./order.ts";
import type { FeeWindow } from "./span.ts";
import type { Terminated } from "./subscription.ts";

/** The last billed subscription fee of a subscription. */
export type BilledFee = {
  readonly window: FeeWindow;
  /** The plan's amount when the fee was created. */
  readonly planAmountMinor: Minor;
  readonly amountMinor: Minor;
  /** What earlier credit notes took of it, to 5 decimals of a minor unit. */
  readonly creditedMinor: Decimal;
  readonly isInvoiceVoided: boolean;
};

export type UnusedCreditDerivation = {
  readonly type: "unused_credit";
  readonly planAmountMinor: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly unusedDays: number;
  readonly periodDays: number;
  /** The cost of those days. */
  readonly unusedMinor: string;
  readonly feeAmountMinor: string;
  readonly creditedMinor: string;
  /** Minor units, truncated to 5 decimals. */
  readonly creditMinor: string;
};

/** Before tax and without the fee's coupons; the credit note includes those. */
export type UnusedCredit = { readonly creditMinor: Decimal; readonly derivation: UnusedCreditDerivation };

const DECIMALS = 5;

/**
 * 20 of 28 days of 5000 are 3571.42857. The day of an end was used, the day of an upgrade was not. Never more than the fee, less what was
 * already credited. During a trial no fee was billed, so none is credited. null: nothing to credit, or nothing is to be credited.
 */
export function unusedCredit(fee: BilledFee, ended: Terminated): UnusedCredit | null {
  const { window, planAmountMinor, amountMinor, creditedMinor } = fee;
  if (keepsUnused(ended) || fee.isInvoiceVoided || !isBefore(ended.terminatedAt, window.to)) return null;
  const firstDay = firstUnusedDay(window, ended);
  const unusedDays = countDays(firstDay, window.lastDay);
  const unused = share(planAmountMinor, unusedDays, window.periodDays);
  const creditMinor = credit(unused, amountMinor, creditedMinor);
  if (!creditMinor.gt("0")) return null;
  return {
    creditMinor,
    derivation: {
      type: "unused_credit",
      planAmountMinor: String(planAmountMinor),
      firstDay: String(firstDay),
      lastDay: String(window.lastDay),
      unusedDays,
      periodDays: window.periodDays,
      unusedMinor: exactText(unused),
      feeAmountMinor: String(amountMinor),
      creditedMinor: exactText(creditedMinor),
      creditMinor: exactText(creditMinor),
    },
  };
}

/** The credit, from its derivation alone. */
export function unusedCreditFrom(derivation: UnusedCreditDerivation): Decimal {
  const { planAmountMinor, unusedDays, periodDays, feeAmountMinor, creditedMinor } = derivation;
  const unused = share(minor(BigInt(planAmountMinor)), unusedDays, periodDays);
  return credit(unused, minor(BigInt(feeAmountMinor)), decimal(creditedMinor));
}

const credit = (unused: Fraction, feeAmountMinor: Minor, creditedMinor: Decimal): Decimal =>
  truncateTo(least(unused, fraction(feeAmountMinor)).minus(creditedMinor), DECIMALS);

function firstUnusedDay(window: FeeWindow, { terminatedAt, cause, timeZone }: Terminated): Temporal.PlainDate {
  // After a move to another zone, the local day of an instant may be outside the days of its period.
  const day = laterDay(dayOf(terminatedAt, timeZone), window.firstDay);
  return cause === "upgraded" ? day : day.add({ days: 1 });
}
