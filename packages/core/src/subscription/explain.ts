/** Derivations as text that a finance person can check with a pocket calculator. All amounts are in minor units. */
import { readExact, truncateTo } from "../money/index.ts";
import type { SubscriptionFeeDerivation } from "./fee.ts";
import type { UnusedCreditDerivation } from "./unused-credit.ts";

const SHOWN_DIGITS = 10;

/** The lines of a subscription fee: 14 of 28 days, then 61 × 14 / 28 = 30.5, rounded to 31. */
export function explainSubscriptionFee(derivation: SubscriptionFeeDerivation): string[] {
  const { planAmountMinor, firstDay, lastDay, days, freeDays, periodDays, exactMinor, amountMinor } = derivation;
  const free = freeDays === 0 ? "" : `, ${freeDays} of them free in the trial`;
  const rounding = exactMinor === amountMinor ? "" : `, rounded to ${amountMinor}`;
  return [
    `${firstDay} to ${lastDay}: ${days} of ${periodDays} days${free}`,
    `${planAmountMinor} × ${days - freeDays} / ${periodDays} = ${shown(exactMinor)}${rounding}`,
  ];
}

/** The lines of a credit for days that were paid and not used. */
export function explainUnusedCredit(derivation: UnusedCreditDerivation): string[] {
  const { planAmountMinor, firstDay, lastDay, unusedDays, periodDays, unusedMinor } = derivation;
  const { feeAmountMinor, creditedMinor, creditMinor } = derivation;
  return [
    `${firstDay} to ${lastDay}: ${unusedDays} of ${periodDays} days paid and not used`,
    `${planAmountMinor} × ${unusedDays} / ${periodDays} = ${shown(unusedMinor)}`,
    ...(readExact(unusedMinor).isAbove(BigInt(feeAmountMinor)) ? [`not more than the fee of ${feeAmountMinor}`] : []),
    ...(creditedMinor === "0" ? [] : [`less ${creditedMinor} credited before`]),
    `credit, cut to 5 decimals: ${creditMinor}`,
  ];
}

/** Exact where decimals end, else cut with an ellipsis: 3870.9677419354… */
function shown(exact: string): string {
  return exact.includes("/") ? `${truncateTo(readExact(exact), SHOWN_DIGITS).toFixed(SHOWN_DIGITS)}…` : exact;
}
