/** How Postgres values become JavaScript values, configured once: no exact value passes through a float or a Date. */
import { type Decimal, decimal } from "@tallystick/core/money";
import pg from "pg";

const { builtins } = pg.types;

const INT8_ARRAY = 1016;

const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: (text) => BigInt(text),
  // The driver would return these as text, and adding a number to text appends digits. None of our lists contains null.
  [INT8_ARRAY]: (text) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(BigInt)),
  [builtins.NUMERIC]: (text) => decimal(text),
  [builtins.DATE]: (text) => Temporal.PlainDate.from(text),
  [builtins.TIMESTAMPTZ]: (text) => Temporal.Instant.from(text.replace(" ", "T")),
  // The text of a json column is kept, because its bytes must not change. jsonb is parsed.
  [builtins.JSON]: (text) => text,
};

export const exactTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers[oid]) ||
    pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** The driver would write these as quoted JSON. */
export function toParameter(value: unknown): unknown {
  if (value instanceof Temporal.Instant || value instanceof Temporal.PlainDate) return value.toString();
  if (isDecimal(value)) return value.toFixed();
  return value;
}

const zero = decimal("0");
const isDecimal = (value: unknown): value is Decimal => value instanceof zero.constructor;
