/** The only functions that lose precision. Each one says how. */
import type { Decimal } from "./decimal.ts";
import { type Exact, exactText, fraction, shifted } from "./fraction.ts";

/** To a whole number, half away from zero: 2.5 → 3, -2.5 → -3. The one rounding of money. */
export function round(value: Exact): bigint {
  const { numerator, denominator } = fraction(value);
  const sign = numerator < 0n ? -1n : 1n;
  return sign * ((sign * numerator * 2n + denominator) / (denominator * 2n));
}

/** Half away from zero at a number of decimals: 1.005 at 2 → 1.01. */
export function roundTo(value: Exact, places: number): Decimal {
  return shifted(round(fraction(value).times(10n ** BigInt(places))), places);
}

/** Up, toward +infinity, at a number of decimals: prorated units are never less than the usage. */
export function ceilTo(value: Exact, places: number): Decimal {
  const { numerator, denominator } = fraction(value).times(10n ** BigInt(places));
  const cut = numerator / denominator;
  return shifted(numerator > cut * denominator ? cut + 1n : cut, places);
}

/** Toward zero at a number of decimals. */
export function truncateTo(value: Exact, places: number): Decimal {
  const { numerator, denominator } = fraction(value).times(10n ** BigInt(places));
  return shifted(numerator / denominator, places);
}

const SHOWN_DIGITS = 10;

/** For people: all decimals if they end, otherwise the first ten and an ellipsis: "3870.9677419354…". */
export function readableText(value: Exact): string {
  const exact = exactText(value);
  return exact.includes("/") ? `${truncateTo(value, SHOWN_DIGITS).toFixed(SHOWN_DIGITS)}…` : exact;
}
