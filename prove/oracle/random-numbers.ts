// Arbitrary numbers as texts: decimals are made of whole numbers, so that none of them ever passes through a float.

import fc from "fast-check";

/** Texts of quantities carry up to so many decimals. */
const SCALE = 12;
export const ONE = 10n ** BigInt(SCALE);

/** The text of a whole number of billionths of a thousandth, without needless zeros: 1500000000000 is "1.5". */
export function decimalText(scaled: bigint): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(SCALE + 1, "0");
  const fraction = digits.slice(-SCALE).replace(/0+$/, "");
  const text = fraction === "" ? digits.slice(0, -SCALE) : `${digits.slice(0, -SCALE)}.${fraction}`;
  return scaled < 0n ? `-${text}` : text;
}

/** The other way round, for texts of at most 12 decimals. */
export function scaledOf(text: string): bigint {
  const [integer = "", fraction = ""] = text.split(".");
  return BigInt(integer + fraction.padEnd(SCALE, "0"));
}

/** So many decimals of a whole number up to a limit. */
const decimals = (most: bigint, places: number): fc.Arbitrary<bigint> =>
  fc.bigInt({ min: 0n, max: most }).map((value) => value * 10n ** BigInt(SCALE - places));

/** Prices from nothing over a billionth of a cent to millions, many of them next to half a cent. */
export const price: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("0", "1", "0.01", "1.50", "0.000000000001", "0.005", "0.0049999", "0.50000"),
  decimals(99_999n, 2).map(decimalText),
  decimals(400n, 3).map((value) => decimalText(value * 10n + (5n * ONE) / 1000n)),
  decimals(10n ** 7n, 12).map(decimalText),
  decimals(10n ** 16n, 12).map(decimalText),
  decimals(10n ** 8n, 0).map(decimalText),
);

/** Quantities from 0 on: whole ones, fractions, and very many. */
export const quantity: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0n) },
  { weight: 4, arbitrary: decimals(300n, 0) },
  { weight: 3, arbitrary: decimals(300_000n, 3) },
  { weight: 1, arbitrary: decimals(10n ** 14n, 12) },
  { weight: 1, arbitrary: decimals(10n ** 12n, 0) },
);

/** Quantities of which a few are below zero. */
export const change: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 6, arbitrary: quantity },
  { weight: 2, arbitrary: quantity.map((value) => -value) },
);

const besides = [-ONE, -ONE / 2n, -1n, 0n, 0n, 1n, ONE / 2n, ONE, (3n * ONE) / 2n];

/** At a mark, beside it by a little, or anywhere; now and then below zero. */
export const around = (marks: readonly bigint[]): fc.Arbitrary<bigint> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(0n, ...marks, ...marks), fc.constantFrom(...besides))
        .map(([mark, step]) => mark + step),
    },
    { weight: 3, arbitrary: quantity },
    { weight: 1, arbitrary: quantity.map((value) => -value) },
  );

/** Percentages, none, all and more than all among them. */
export const rate: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("0", "100", "250.5", "5.5", "20", "7.75", "19", "8.875", "2.99", "0.00001"),
  decimals(10_000n, 2).map(decimalText),
  decimals(10n ** 7n, 5).map(decimalText),
);

/** Minor digits of currencies. */
export const digits: fc.Arbitrary<number> = fc.constantFrom(2, 2, 0, 3);

/** Whole minor units, small ones often. */
export const cents: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 0n, max: 20n }),
  fc.bigInt({ min: 0n, max: 100_000n }),
  fc.bigInt({ min: 0n, max: 10n ** 12n }),
);

/** Days of a period of any interval. */
export const periodDays: fc.Arbitrary<number> = fc.constantFrom(7, 28, 29, 30, 31, 89, 90, 91, 92, 181, 184, 365, 366);
