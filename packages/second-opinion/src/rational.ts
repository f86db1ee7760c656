// Exact fractions of whole numbers, so that this implementation rounds only where the rules say so.

/** In lowest terms, with d above 0. */
export type Rational = { readonly n: bigint; readonly d: bigint };

/** A fraction as plain JSON carries it. */
export type RationalText = { n: string; d: string };

const greatestCommonDivisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : greatestCommonDivisor(b, a % b));

/** n/d in lowest terms, so that equal fractions look equal. */
export function ratio(n: bigint, d: bigint): Rational {
  if (d === 0n) throw new Error("a fraction needs a denominator");
  const common = greatestCommonDivisor(n < 0n ? -n : n, d < 0n ? -d : d) * (d < 0n ? -1n : 1n);
  return { n: n / common, d: d / common };
}

export const ZERO = ratio(0n, 1n);
export const HUNDRED = ratio(100n, 1n);

/** A whole number as a fraction. */
export const whole = (value: bigint | number): Rational => ratio(BigInt(value), 1n);

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;

/** Whether a text is a number at all: no exponent, no plus sign, no spaces, ASCII digits only. */
const isDecimal = (text: string | undefined): text is string => text !== undefined && DECIMAL.test(text);

/** Whether a text is a quantity that can be billed: a number with up to 18 digits before the point, zeros in front not counted. */
export const isQuantity = (text: string | undefined): text is string => {
  if (!isDecimal(text)) return false;
  const [integer = ""] = text.replace("-", "").split(".");
  return BigInt(integer) < 10n ** 18n;
};

/** The value of a decimal text, or of a whole number where the interface has integers. */
export function rational(text: string | number): Rational {
  if (typeof text === "number") return whole(text);
  if (!isDecimal(text)) throw new Error(`not a decimal: ${text}`);
  const [integer = "", fraction = ""] = text.split(".");
  return ratio(BigInt(integer + fraction), 10n ** BigInt(fraction.length));
}

export const fromText = ({ n, d }: RationalText): Rational => ratio(BigInt(n), BigInt(d));

export const plus = (a: Rational, b: Rational): Rational => ratio(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Rational, b: Rational): Rational => ratio(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Rational, b: Rational): Rational => ratio(a.n * b.n, a.d * b.d);
export const over = (a: Rational, b: Rational): Rational => ratio(a.n * b.d, a.d * b.n);

export const sum = (terms: readonly Rational[]): Rational => terms.reduce(plus, ZERO);

export const isBelow = (a: Rational, b: Rational): boolean => a.n * b.d < b.n * a.d;
export const isEqual = (a: Rational, b: Rational): boolean => a.n === b.n && a.d === b.d;
export const smaller = (a: Rational, b: Rational): Rational => (isBelow(b, a) ? b : a);
export const larger = (a: Rational, b: Rational): Rational => (isBelow(a, b) ? b : a);
export const atLeastZero = (a: Rational): Rational => larger(a, ZERO);

/** The greatest whole number that is not above. */
export const floor = ({ n, d }: Rational): bigint => (n < 0n && n % d !== 0n ? n / d - 1n : n / d);

/** The smallest whole number that is not below. */
const ceiling = ({ n, d }: Rational): bigint => -floor({ n: -n, d });

/** The nearest whole number; of two that are equally near, the one farther from zero: -2.5 gives -3. */
export function nearest(value: Rational): bigint {
  const below = floor(value);
  const twiceRest = times(whole(2), minus(value, whole(below)));
  if (isEqual(twiceRest, whole(1))) return below < 0n ? below : below + 1n;
  return isBelow(twiceRest, whole(1)) ? below : below + 1n;
}

/** Rounded up, toward plus infinity, at this many decimals. */
export const ceilingAt = (value: Rational, decimals: number): Rational => {
  const scale = 10n ** BigInt(decimals);
  return ratio(ceiling(times(value, whole(scale))), scale);
};

/** Rounded to the nearest at this many decimals. */
export const nearestAt = (value: Rational, decimals: number): Rational => {
  const scale = 10n ** BigInt(decimals);
  return ratio(nearest(times(value, whole(scale))), scale);
};

/** Truncated to this many decimals; for values from 0 on. */
export const cutAt = (value: Rational, decimals: number): Rational => {
  const scale = 10n ** BigInt(decimals);
  return ratio(floor(times(value, whole(scale))), scale);
};

export const toText = ({ n, d }: Rational): RationalText => ({ n: String(n), d: String(d) });

/** Whole minor units of an amount in major units. */
export const minorUnits = (amount: Rational, digits: number): bigint =>
  nearest(times(amount, whole(10n ** BigInt(digits))));
