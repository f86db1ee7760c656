/** The canonical text that property values are compared by, and the numbers among them. */
import { fail, ok, type Result } from "../catalog/index.ts";
import { type Decimal, decimal } from "../money/index.ts";

/** number_too_long: it has more than 1,000 digits on a side of the decimal point. nested_too_deep: more than 100 levels. */
export type PropertyRefused = "number_too_long" | "nested_too_deep";

const NUMBER_DIGITS_MAX = 1000;

/** A sign, a point and the digits on both sides. Longer text is not a number, because no store could sum it. */
export const NUMBER_LENGTH_MAX = 2 * NUMBER_DIGITS_MAX + 2;
const NESTING_MAX = 100;

/**
 * The canonical text of a property value from its JSON source: 1e3 is "1000", 1.0 and "1" are both "1", an object is JSON
 * with sorted keys. null is absent. Numbers are read from their source text, never as a float.
 */
export function canonicalText(json: string): Result<string | null, PropertyRefused> {
  if (nestingOf(json) > NESTING_MAX) return fail("nested_too_deep");
  const value: unknown = JSON.parse(json);
  if (value === null || typeof value === "string") return ok(value);
  let hasLongNumber = false;
  // Inner values are revived before the values that contain them, so each is already text.
  const text: string = JSON.parse(json, (_name, part: unknown, context?: { source?: string }) => {
    if (typeof part !== "number") return canonicalJson(part);
    const number = decimal(context?.source ?? "");
    if (isLong(number)) hasLongNumber = true;
    return hasLongNumber ? "" : number.toFixed();
  });
  return hasLongNumber ? fail("number_too_long") : ok(text);
}

/** With more digits before the decimal point, it is not a quantity: no price gives an amount that fits. Leading zeros do not count. */
export const QUANTITY_DIGITS_MAX = 18;

const QUANTITY = /^-?0*\d{1,18}(\.\d+)?$/;

/** The quantity in a property: "12.5" is one; "1e3", "12,5", "+5" and numbers with 19 digits before the decimal point are not. */
export function numericValue(text: string | undefined): Decimal | undefined {
  const isQuantity = text !== undefined && text.length <= NUMBER_LENGTH_MAX && QUANTITY.test(text);
  return isQuantity ? decimal(text) : undefined;
}

function canonicalJson(part: unknown): string {
  if (Array.isArray(part)) return `[${part.join(",")}]`;
  if (typeof part !== "object" || part === null) return JSON.stringify(part);
  const members = Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

const isLong = ({ c: digits, e: exponent }: Decimal): boolean =>
  Math.max(exponent + 1, digits.length - 1 - exponent) > NUMBER_DIGITS_MAX;

function nestingOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth);
    if (token === "]" || token === "}") depth--;
  }
  return deepest;
}
