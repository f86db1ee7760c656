/** Reads members of a request: a reader returns the typed value, or the fault to report under the member's name. */
import { type Currency, type Decimal, decimal, isCurrency, type Minor, minor } from "../money/index.ts";
import { parseInstant } from "../time/index.ts";
import { combineList, type Faults, fail, fault, ok, type Result } from "./result.ts";

/** A JSON object of a request, as parsed. */
export type Members = Readonly<Record<string, unknown>>;
export type Reader<Value> = (value: unknown, field: string) => Result<Value, Faults>;

const NAME_LENGTH_MAX = 255;
const DESCRIPTION_LENGTH_MAX = 10_000;
const DECIMAL_TEXT = /^\d{1,40}(\.\d{1,40})?$/;

/** A required member; null counts as absent. */
export function required<Value>(members: Members, field: string, read: Reader<Value>): Result<Value, Faults> {
  const value = members[field];
  return value === undefined || value === null ? fault(field, "value_is_mandatory") : read(value, field);
}

/** An optional member; absent or null. */
export function optional<Value, Fallback>(
  members: Members,
  field: string,
  read: Reader<Value>,
  fallback: Fallback,
): Result<Value | Fallback, Faults> {
  const value = members[field];
  return value === undefined || value === null ? ok(fallback) : read(value, field);
}

/**
 * The members after a change. Members of the change replace the current ones if they are changeable. An absent member changes nothing, and
 * neither does null for a list, which would empty it by accident.
 */
export function withChange(current: Members, change: Members, changeable = Object.keys(current)): Members {
  const changed = changeable.filter(
    (name) => change[name] !== undefined && !(change[name] === null && Array.isArray(current[name])),
  );
  return { ...current, ...Object.fromEntries(changed.map((name) => [name, change[name]])) };
}

/** A JSON object, neither a list nor null. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A decimal of 0 or more, as text without sign, blank or exponent. A JSON number is refused, because it may have lost digits. */
export const asDecimal = (value: unknown): Decimal | undefined =>
  typeof value === "string" && DECIMAL_TEXT.test(value) ? decimal(value) : undefined;

/** A whole JSON number (1.0 is one) from `least` on. A number beyond 2^53 - 1 may have changed in transit. */
export const asWhole = (value: unknown, least: bigint): bigint | undefined =>
  Number.isSafeInteger(value) && BigInt(value as number) >= least ? BigInt(value as number) : undefined;

/** A whole number from `least` up to 2^53 - 1. */
export const whole =
  (least: bigint): Reader<bigint> =>
  (value, field) => {
    const read = asWhole(value, least);
    if (read !== undefined) return ok(read);
    return fault(field, Number.isInteger(value) ? "value_is_out_of_range" : "value_is_invalid");
  };

/** Whole minor units, from `least` up to 9,007,199,254,740,991 (2^53 - 1). */
export const cents =
  (least: bigint): Reader<Minor> =>
  (value, field) => {
    const units = whole(least)(value, field);
    return units.ok ? ok(minor(units.value)) : units;
  };

/** true or false, and no other type. */
export const flag: Reader<boolean> = (value, field) =>
  typeof value === "boolean" ? ok(value) : fault(field, "value_is_invalid");

/** One of a list of words. */
export const oneOf =
  <const Values extends readonly string[]>(values: Values): Reader<Values[number]> =>
  (value, field) =>
    values.includes(value as string) ? ok(value as Values[number]) : fault(field, "value_is_invalid");

/** A currency by its ISO 4217 code, in capitals. */
export const currencyCode: Reader<Currency> = (value, field) =>
  typeof value === "string" && isCurrency(value) ? ok(value) : fault(field, "value_is_invalid");

/** Text that is not blank: a blank one counts as absent. */
export const name: Reader<string> = (value, field) =>
  typeof value === "string" && value.trim() === "" ? fault(field, "value_is_mandatory") : shortText(value, field);

/** Text of up to 255 characters: a name on an invoice. */
export const shortText: Reader<string> = (value, field) => textUpTo(NAME_LENGTH_MAX, value, field);
/** Text of up to 10,000 characters: a description. */
export const longText: Reader<string> = (value, field) => textUpTo(DESCRIPTION_LENGTH_MAX, value, field);

function textUpTo(lengthMax: number, value: unknown, field: string): Result<string, Faults> {
  if (typeof value !== "string") return fault(field, "value_is_invalid");
  return value.length > lengthMax ? fault(field, "value_is_too_long") : ok(value);
}

/** An instant from ISO 8601 text. */
export const instant: Reader<Temporal.Instant> = (value, field) => {
  const read = typeof value === "string" ? parseInstant(value) : undefined;
  return read ? ok(read) : fault(field, "invalid_date");
};

/** A list whose items are read one by one. */
export const listOf =
  <Item>(read: Reader<Item>): Reader<Item[]> =>
  (value, field) =>
    Array.isArray(value)
      ? combineList(value.entries().map(([index, item]) => read(item, `${field}[${index}]`)))
      : fault(field, "value_is_invalid");

/** Codes of other records, each once. The caller checks whether they exist. */
export const codes: Reader<string[]> = (value, field) => {
  const list = listOf(shortText)(value, field);
  return list.ok ? ok([...new Set(list.value)]) : list;
};

/** A member that is an object. */
export const object =
  <Value>(read: (members: Members) => Result<Value, Faults>): Reader<Value> =>
  (value, field) =>
    isMembers(value) ? inside(field, read(value)) : fault(field, "value_is_invalid");

/** Faults of an object's members, by their path from the object that holds it. */
const inside = <Value>(field: string, result: Result<Value, Faults>): Result<Value, Faults> =>
  result.ok
    ? result
    : fail(Object.fromEntries(Object.entries(result.error).map(([name, codes]) => [`${field}.${name}`, codes])));
