/** The subscription fee: the plan's amount by the days of a period that are paid. */
import { exactText, Fraction, type Minor, minor, roundMinor } from "../money/index.ts";
import { daysOf, type FeeWindow } from "./span.ts";

export type SubscriptionFeeDerivation = {
  readonly type: "subscription_fee";
  /** The cost of a full period. A credit at the end is computed from this, not from the plan's current amount. */
  readonly planAmountMinor: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: number;
  /** The days in the trial. */
  readonly freeDays: number;
  readonly periodDays: number;
  readonly exactMinor: string;
  readonly amountMinor: string;
};

export type SubscriptionFee = { readonly amountMinor: Minor; readonly derivation: SubscriptionFeeDerivation };

/** 24 of 31 days of 5000 are 3870.97, rounded once to 3871; a whole period is the plan's amount. */
export function subscriptionFee(planAmountMinor: Minor, window: FeeWindow): SubscriptionFee {
  const days = daysOf(window);
  const { freeDays, periodDays } = window;
  const exact = share(planAmountMinor, days - freeDays, periodDays);
  const amountMinor = roundMinor(exact);
  return {
    amountMinor,
    derivation: {
      type: "subscription_fee",
      planAmountMinor: String(planAmountMinor),
      firstDay: String(window.firstDay),
      lastDay: String(window.lastDay),
      days,
      freeDays,
      periodDays,
      exactMinor: exactText(exact),
      amountMinor: String(amountMinor),
    },
  };
}

/** The amount of a subscription fee, from its derivation alone. */
export function subscriptionFeeFrom(derivation: SubscriptionFeeDerivation): Minor {
  const { planAmountMinor, days, freeDays, periodDays } = derivation;
  return roundMinor(share(minor(BigInt(planAmountMinor)), days - freeDays, periodDays));
}

/** Multiplied first and divided last, so that no precision is lost before the one rounding. */
export const share = (amountMinor: Minor, days: number, periodDays: number): Fraction =>
  new Fraction(amountMinor * BigInt(days), BigInt(periodDays));
