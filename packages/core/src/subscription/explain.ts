/** Derivations as text that a finance person can check with a pocket calculator. All amounts are in minor units. */
import { readableText, readExact } from "../money/index.ts";
import type { SubscriptionFeeDerivation } from "./fee.ts";
import type { UnusedCreditDerivation } from "./unused-credit.ts";

/** The lines of a subscription fee: 14 of 28 days, then 61 × 14 / 28 = 30.5, rounded to 31. */
export function explainSubscriptionFee(derivation: SubscriptionFeeDerivation): string[] {
  const { planAmountMinor, firstDay, lastDay, days, freeDays, periodDays, exactMinor, amountMinor } = derivation;
  const free = freeDays === 0 ? "" : `, ${freeDays} of them free in the trial`;
  const rounding = exactMinor === amountMinor ? "" : `, rounded to ${amountMinor}`;
  return [
    `${firstDay} to ${lastDay}: ${days} of ${periodDays} days${free}`,
    `${planAmountMinor} × ${days - freeDays} / ${periodDays} = ${readableText(readExact(exactMinor))}${rounding}`,
  ];
}

/** The lines of a credit for paid days that were not used. */
export function explainUnusedCredit(derivation: UnusedCreditDerivation): string[] {
  const { planAmountMinor, firstDay, lastDay, unusedDays, periodDays, unusedMinor } = derivation;
  const { feeAmountMinor, creditedMinor, creditMinor } = derivation;
  return [
    `${firstDay} to ${lastDay}: ${unusedDays} of ${periodDays} days paid and not used`,
    `${planAmountMinor} × ${unusedDays} / ${periodDays} = ${readableText(readExact(unusedMinor))}`,
    ...(readExact(unusedMinor).isAbove(BigInt(feeAmountMinor)) ? [`not more than the fee of ${feeAmountMinor}`] : []),
    ...(creditedMinor === "0" ? [] : [`less ${creditedMinor} credited before`]),
    `credit, truncated to 5 decimals: ${creditMinor}`,
  ];
}
