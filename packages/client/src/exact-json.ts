/** JSON without silent rounding: a whole number that a JavaScript number cannot hold is refused, or becomes a bigint. */

/** What becomes of a whole number beyond 2^53: an error, or a bigint. */
export type LargeNumbers = "throw" | "bigint";

/** V8 and others pass the text of a value; TypeScript does not know all of it yet. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
type ExactJson = { parse(text: string, reviver: Reviver): unknown; rawJSON?: (text: string) => unknown };
const exact: ExactJson = JSON;

const isRounded = (value: unknown): boolean =>
  typeof value === "number" && !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));

export function parseExact(text: string, largeNumbers: LargeNumbers = "throw"): unknown {
  return exact.parse(text, (key, value, context) => {
    if (!isRounded(value)) return value;
    const source = context?.source;
    if (largeNumbers === "bigint" && source !== undefined && /^-?\d+$/.test(source)) return BigInt(source);
    throw new RangeError(`${key}: no number can hold ${source ?? "this value"}. Set largeNumbers to "bigint".`);
  });
}

export function stringifyExact(body: unknown): string {
  return JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === "bigint" && exact.rawJSON) return exact.rawJSON(String(value));
    if (typeof value !== "bigint" && !isRounded(value) && !Number.isNaN(value)) return value;
    throw new RangeError(`${key}: ${value} is not exact as a number. Send it as text.`);
  });
}
