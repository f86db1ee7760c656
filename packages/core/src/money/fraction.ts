/**
 * Exact quotients. A divided amount (by the days of a period, over the fees of an invoice) may have no last decimal. It stays a fraction of
 * two whole numbers until the one rounding that makes it money.
 */
import { type Decimal, decimal } from "./decimal.ts";

/** What a fraction can be computed with. */
export type Exact = Fraction | Decimal | bigint;

export class Fraction {
  readonly numerator: bigint;
  /** Always above 0, and without a common factor with the numerator. */
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator: bigint) {
    if (denominator === 0n) throw new RangeError("A fraction was divided by zero.");
    const divisor = denominator === 1n ? 1n : greatestCommonDivisor(numerator, denominator);
    const sign = denominator < 0n ? -1n : 1n;
    this.numerator = (sign * numerator) / divisor;
    this.denominator = (sign * denominator) / divisor;
  }

  plus(other: Exact): Fraction {
    const { numerator, denominator } = fraction(other);
    return new Fraction(this.numerator * denominator + numerator * this.denominator, this.denominator * denominator);
  }

  minus(other: Exact): Fraction {
    const { numerator, denominator } = fraction(other);
    return new Fraction(this.numerator * denominator - numerator * this.denominator, this.denominator * denominator);
  }

  times(other: Exact): Fraction {
    const { numerator, denominator } = fraction(other);
    return new Fraction(this.numerator * numerator, this.denominator * denominator);
  }

  over(other: Exact): Fraction {
    const { numerator, denominator } = fraction(other);
    return new Fraction(this.numerator * denominator, this.denominator * numerator);
  }

  /** Below 0, 0 or above 0 as this is less than, equal to or greater than the other. */
  compare(other: Exact): number {
    const { numerator, denominator } = fraction(other);
    const difference = this.numerator * denominator - numerator * this.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: Exact): boolean {
    return this.compare(other) === 0;
  }

  isBelow(other: Exact): boolean {
    return this.compare(other) < 0;
  }

  isAbove(other: Exact): boolean {
    return this.compare(other) > 0;
  }

  isZero(): boolean {
    return this.numerator === 0n;
  }
}

/** The same value as a fraction. */
export function fraction(value: Exact): Fraction {
  if (value instanceof Fraction) return value;
  if (typeof value === "bigint") return new Fraction(value, 1n);
  // The coefficient c[0]c[1]… stands for c[0].c[1]… times 10^e, so the last digit counts 10^(e - length + 1).
  const digits = BigInt(value.c.join("")) * BigInt(value.s);
  const shift = value.e - value.c.length + 1;
  return shift < 0 ? new Fraction(digits, 10n ** BigInt(-shift)) : new Fraction(digits * 10n ** BigInt(shift), 1n);
}

export const NOTHING: Fraction = new Fraction(0n, 1n);

/** The sum of exact values; 0 if there are none. */
export function sum(values: Iterable<Exact>): Fraction {
  let total = NOTHING;
  for (const value of values) total = total.plus(value);
  return total;
}

/** The smaller of two. */
export function least(one: Fraction, other: Fraction): Fraction {
  return one.isAbove(other) ? other : one;
}

/** The greater of two. */
export function greatest(one: Fraction, other: Fraction): Fraction {
  return one.isBelow(other) ? other : one;
}

/** Exact text: a plain decimal if there is one ("0.375"), otherwise numerator over denominator ("-55/3"). */
export function exactText(value: Exact): string {
  const { numerator, denominator } = fraction(value);
  const digits = decimalDigits(denominator);
  if (digits === undefined) return `${numerator}/${denominator}`;
  if (digits === 0) return String(numerator);
  const scaled = String(((numerator < 0n ? -numerator : numerator) * 10n ** BigInt(digits)) / denominator);
  const padded = scaled.padStart(digits + 1, "0");
  return `${numerator < 0n ? "-" : ""}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

/** Parses the text of exactText. */
export function readExact(text: string): Fraction {
  const [numerator, denominator] = text.split("/");
  if (denominator === undefined) return fraction(decimal(text));
  return new Fraction(BigInt(numerator ?? ""), BigInt(denominator));
}

/** digits × 10^-places as a decimal. */
export function shifted(digits: bigint, places: number): Decimal {
  return decimal(`${digits}e-${places}`);
}

/** How many decimals 1/denominator has; undefined if they never end. */
function decimalDigits(denominator: bigint): number | undefined {
  let rest = denominator;
  let twos = 0;
  let fives = 0;
  for (; rest % 2n === 0n; rest /= 2n) twos++;
  for (; rest % 5n === 0n; rest /= 5n) fives++;
  return rest === 1n ? Math.max(twos, fives) : undefined;
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = [one < 0n ? -one : one, other < 0n ? -other : other];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
