/** How Postgres values become JavaScript values, set once: nothing exact passes through a float or a Date. */
import { type Decimal, decimal } from "@tallystick/core/money";
import pg from "pg";

const { builtins } = pg.types;

const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: (text) => BigInt(text),
  [builtins.NUMERIC]: (text) => decimal(text),
  [builtins.DATE]: (text) => Temporal.PlainDate.from(text),
  [builtins.TIMESTAMPTZ]: (text) => Temporal.Instant.from(text.replace(" ", "T")),
  // The text of a json column is kept as it is: it holds bytes that must not change. jsonb is parsed.
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
