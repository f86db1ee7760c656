/** Exact decimals: unit prices, quantities, percentages. Created only from text, so no value passes through a float. */
import { Big as BigFactory } from "big.js";

/** Strict: throws on a JavaScript number instead of converting it. */
const Big = BigFactory();
Big.strict = true;

export type Decimal = BigFactory;

export const ZERO: Decimal = new Big("0");

/** Reads plain decimal text ("0.05", "-3"); throws on anything else. */
export function decimal(text: string): Decimal {
  return new Big(text);
}

/** The sum of decimals; 0 if there are none. */
export function sumDecimals(values: Iterable<Decimal>): Decimal {
  let sum = ZERO;
  for (const value of values) sum = sum.plus(value);
  return sum;
}
