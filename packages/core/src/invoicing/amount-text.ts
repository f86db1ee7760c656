/** Amounts as an invoice shows them. */
import {
  type Currency,
  type Exact,
  fraction,
  inMajorUnits,
  type Minor,
  minorDigits,
  readableText,
  roundTo,
} from "../money/index.ts";

/** Whole minor units in major units: 1234 cents are "12.34", 1234 yen are "1234". */
export function amountText(amountMinor: Minor, currency: Currency): string {
  const digits = minorDigits(currency);
  return roundTo(inMajorUnits(amountMinor, currency), digits).toFixed(digits);
}

/** Exact minor units in major units: whole ones as amountText writes them, 333.333… cents as "3.3333333333…". */
export function exactAmountText(exactMinor: Exact, currency: Currency): string {
  const digits = minorDigits(currency);
  const text = readableText(fraction(exactMinor).over(10n ** BigInt(digits)));
  const [whole, decimals = ""] = text.split(".");
  return digits === 0 ? text : `${whole}.${decimals.padEnd(digits, "0")}`;
}
