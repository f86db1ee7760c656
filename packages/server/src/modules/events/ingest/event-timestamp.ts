/** The timestamp of an event: Unix seconds, read from the original text and truncated to the microsecond. */

const MICROSECONDS = 1_000_000n;
/** The years 1 to 9999, which ISO 8601 shows with four digits. A timestamp in milliseconds is out of range, so it is noticed. */
const EARLIEST = -62_135_596_800n * MICROSECONDS;
const END = 253_402_300_800n * MICROSECONDS;

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const DIGITS_MAX = 1000;
const WHOLE_SECONDS = /^[1-9]\d{0,9}$/;

export type TimestampRefused = "invalid_format" | "value_is_out_of_range";

/** Microseconds since 1970 from a JSON number, or from a string with a decimal. A string has no exponent. */
export function readTimestamp(source: string): bigint | TimestampRefused {
  // Nearly all timestamps are whole seconds near the present. A JavaScript number holds their microseconds exactly.
  if (WHOLE_SECONDS.test(source)) return BigInt(Number(source) * 1_000_000);
  const isText = source.startsWith('"');
  const match = DECIMAL.exec(isText ? JSON.parse(source) : source);
  if (!match) return "invalid_format";
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  if (isText && exponent !== undefined) return "invalid_format";
  const micros = shift(whole, fraction, Number(exponent ?? 0) + 6);
  if (micros === undefined) return "value_is_out_of_range";
  const value = sign === "-" ? -micros : micros;
  return value >= EARLIEST && value < END ? value : "value_is_out_of_range";
}

/** The digits with the decimal point moved to the right, and the rest truncated. Undefined if far too large. */
function shift(whole: string, fraction: string, places: number): bigint | undefined {
  const digits = (whole + fraction).replace(/^0+/, "");
  const length = digits.length + places - fraction.length;
  if (digits === "" || length <= 0) return 0n;
  if (length > DIGITS_MAX) return undefined;
  return BigInt(digits.slice(0, length).padEnd(length, "0"));
}
