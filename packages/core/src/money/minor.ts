/** Whole minor units (cents, yen, fils): the only amounts on an invoice. */
import { type Currency, minorDigits } from "./currency.ts";
import { type Exact, Fraction, fraction } from "./fraction.ts";
import { round } from "./rounding.ts";

declare const brand: unique symbol;

/** A whole number of minor units. The type keeps a plain bigint from being used as money. */
export type Minor = bigint & { readonly [brand]: "Minor" };

export const minor = (units: bigint): Minor => units as Minor;

/** An exact amount in major units as exact minor units: 1.2345 EUR is 123.45 cents, 1234.5 JPY is 1234.5 yen. */
export function inMinorUnits(amount: Exact, currency: Currency): Fraction {
  return fraction(amount).times(10n ** BigInt(minorDigits(currency)));
}

/** Whole minor units as an exact amount in major units: 123 cents are 1.23 EUR. */
export function inMajorUnits(amount: Minor, currency: Currency): Fraction {
  return new Fraction(amount, 10n ** BigInt(minorDigits(currency)));
}

/** Where an amount in major units becomes money: half away from zero, once per fee. */
export function roundToMinor(amount: Exact, currency: Currency): Minor {
  return minor(round(inMinorUnits(amount, currency)));
}

/** An exact amount in minor units, rounded the same way. */
export const roundMinor = (amountMinor: Exact): Minor => minor(round(amountMinor));

export function sumMinor(amounts: Iterable<Minor>): Minor {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return minor(sum);
}

export const leastMinor = (one: Minor, other: Minor): Minor => (one < other ? one : other);
