/** Fees and true-ups as text that a finance person can check with a pocket calculator. */
import { fraction, minorDigits, readableText, readExact, roundTo } from "../money/index.ts";
import type { FeeDerivation } from "./charge-fee.ts";
import { explainAmount } from "./derivation.ts";
import type { TrueUpDerivation } from "./minimum.ts";

/** The lines of a fee: each step, then the rounding. */
export function explainFee({ pricing, currency, exact, amountMinor }: FeeDerivation): string[] {
  const digits = minorDigits(currency);
  const amount = roundTo(fraction(BigInt(amountMinor)).over(10n ** BigInt(digits)), digits).toFixed(digits);
  return [...explainAmount(pricing), `= ${readableText(readExact(exact))} → ${amount} ${currency}`];
}

/** The lines of a true-up. */
export function explainTrueUp(derivation: TrueUpDerivation): string[] {
  const { type, minimumMinor, days, periodDays, requiredMinor, usedMinor } = derivation;
  const name = type === "commitment" ? "minimum commitment" : "minimum of the charge";
  const required = readExact(requiredMinor);
  return [
    `${name} ${minimumMinor} × ${days}/${periodDays} days = ${readableText(required)}`,
    `less ${usedMinor} billed = ${readableText(required.minus(BigInt(usedMinor)))}`,
  ];
}
