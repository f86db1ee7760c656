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

/**
 * Splits whole minor units by weights without losing a cent. Each part is its exact share rounded down. The remaining cents go one each to
 * the largest remainders, earlier parts first: 100 over 1, 1, 1 is 34, 33, 33.
 */
export function allocate(total: Minor, weights: readonly bigint[]): Minor[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  if (weights.some((weight) => weight < 0n) || whole === 0n) {
    throw new RangeError("An amount is split by weights of 0 or more, not all of them 0.");
  }
  const sign = total < 0n ? -1n : 1n;
  const parts = weights.map((weight, index) => {
    const product = sign * total * weight;
    return { index, share: product / whole, remainder: product % whole };
  });
  let left = sign * total - parts.reduce((sum, { share }) => sum + share, 0n);
  for (const part of parts.toSorted((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder < b.remainder ? 1 : -1,
  )) {
    if (left === 0n) break;
    part.share += 1n;
    left -= 1n;
  }
  return parts.map(({ share }) => minor(sign * share));
}
