/** The timestamp of an event: Unix seconds or ISO 8601, read from the original text and truncated to the microsecond. */
import { parseInstant } from "@tallystick/core/time";

const MICROSECONDS = 1_000_000n;
/** The years 1 to 9999, which ISO 8601 shows with four digits. Milliseconds since 1978 are beyond them, so they are noticed. */
const EARLIEST = -62_135_596_800n * MICROSECONDS;
const END = 253_402_300_800n * MICROSECONDS;

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const DIGITS_MAX = 1000;
const WHOLE_SECONDS = /^[1-9]\d{0,9}$/;
/** Without an offset the instant would be a guess. */
const ENDS_WITH_OFFSET = /T.*(?:Z|[+-]\d\d:?\d\d)$/;

export type TimestampRefused = "invalid_format" | "value_is_out_of_range" | "looks_like_milliseconds";

/** Microseconds since 1970 from a JSON number, or from a string with a decimal or an ISO 8601 date and time. */
export function readTimestamp(source: string): bigint | TimestampRefused {
  // Nearly all timestamps are whole seconds near the present. A JavaScript number holds their microseconds exactly.
  if (WHOLE_SECONDS.test(source)) return BigInt(Number(source) * 1_000_000);
  const isText = source.startsWith('"');
  const written: string = isText ? JSON.parse(source) : source;
  const match = DECIMAL.exec(written);
  if (!match) return (isText ? readIso(written) : undefined) ?? "invalid_format";
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  if (isText && exponent !== undefined) return "invalid_format";
  const micros = shift(whole, fraction, Number(exponent ?? 0) + 6);
  if (micros === undefined) return "value_is_out_of_range";
  const value = sign === "-" ? -micros : micros;
  if (value >= EARLIEST && value < END) return value;
  return value > 0n && value / 1000n < END ? "looks_like_milliseconds" : "value_is_out_of_range";
}

export const microsecondsOf = (instant: Temporal.Instant): bigint => instant.epochNanoseconds / 1000n;

function readIso(text: string): bigint | undefined {
  const instant = ENDS_WITH_OFFSET.test(text) ? parseInstant(text) : undefined;
  return instant && microsecondsOf(instant);
}

/** The digits with the decimal point moved to the right, and the rest truncated. Undefined if far too large. */
function shift(whole: string, fraction: string, places: number): bigint | undefined {
  const digits = (whole + fraction).replace(/^0+/, "");
  const length = digits.length + places - fraction.length;
  if (digits === "" || length <= 0) return 0n;
  if (length > DIGITS_MAX) return undefined;
  return BigInt(digits.slice(0, length).padEnd(length, "0"));
}
