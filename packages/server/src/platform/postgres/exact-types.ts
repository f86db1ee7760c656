/** How Postgres values become JavaScript values, configured once: no exact value passes through a float or a Date. */
import { type Decimal, decimal } from "@tallystick/core/money";
import pg from "pg";
import { parseJson } from "../json-text.ts";

const { builtins } = pg.types;

const INT8_ARRAY = 1016;

const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: (text) => BigInt(text),
  // The driver would return these as text, and adding a number to text appends digits. None of our lists contains null.
  [INT8_ARRAY]: (text) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(BigInt)),
  [builtins.NUMERIC]: (text) => decimal(text),
  [builtins.DATE]: (text) => Temporal.PlainDate.from(withIsoYear(text)),
  [builtins.TIMESTAMPTZ]: (text) => Temporal.Instant.from(withIsoYear(text.replace(" ", "T"))),
  // The text of a json column is kept, because its bytes must not change. jsonb is parsed.
  [builtins.JSON]: (text) => text,
  [builtins.JSONB]: parseJson,
};

export const exactTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers[oid]) ||
    pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** After 9999, ISO 8601 wants a sign and six digits, and Postgres neither. A period that begins in 9999 can end in 10000. */
const withIsoYear = (text: string): string => text.replace(/^\d{5,6}(?=-)/, (year) => `+${year.padStart(6, "0")}`);

/** An instant or a date as Postgres reads it. */
const toSqlText = (value: Temporal.Instant | Temporal.PlainDate): string => value.toString().replace(/^\+0*/, "");

/** The driver would write these as quoted JSON. */
export function toParameter(value: unknown): unknown {
  if (value instanceof Temporal.Instant || value instanceof Temporal.PlainDate) return toSqlText(value);
  if (isDecimal(value)) return value.toFixed();
  // The driver writes lists of texts as they are.
  if (Array.isArray(value) && value.some((item) => item instanceof Temporal.Instant)) return value.map(toParameter);
  return value;
}

const zero = decimal("0");
const isDecimal = (value: unknown): value is Decimal => value instanceof zero.constructor;
