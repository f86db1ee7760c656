/** SQL for ClickHouse, composed of pieces. Whole numbers are written out; every text is a bound parameter. */
import type { Clickhouse } from "./clickhouse.ts";

export type Sql = { readonly texts: readonly string[]; readonly parts: readonly Part[] };
type Part = Sql | Bound | number | bigint;
type Bound = { readonly type: "String" | "UUID" | "Array(String)"; readonly value: string | readonly string[] };

/** A piece of SQL. It may contain other pieces, bound texts and whole numbers. */
export const sql = (texts: TemplateStringsArray, ...parts: readonly Part[]): Sql => ({ texts, parts });

export const text = (value: string): Bound => ({ type: "String", value });
export const uuid = (value: string): Bound => ({ type: "UUID", value });
export const textList = (value: readonly string[]): Bound => ({ type: "Array(String)", value });

/** One of our names with a number: never a text of a user. */
export const numbered = (kind: "key" | "group" | "filter", number: number): Sql => ({
  texts: [`${kind}_${wholeNumber(number)}`],
  parts: [],
});

/** Pieces with a separator between them. */
export function join(pieces: readonly Sql[], separator: Sql): Sql {
  const parts = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]));
  return { texts: Array.from({ length: parts.length + 1 }, () => ""), parts };
}

/** Each piece followed by a comma, so that the list may be empty. */
export const leading = (pieces: readonly Sql[]): Sql =>
  join(
    pieces.map((piece) => sql`${piece}, `),
    sql``,
  );

/** The same text is bound once, however often it is used. */
function compile(statement: Sql): { query: string; parameters: Record<string, string | readonly string[]> } {
  const names = new Map<string, string>();
  const values: Record<string, string | readonly string[]> = {};
  const write = (part: Part): string => {
    if (typeof part === "number" || typeof part === "bigint") return wholeNumber(part);
    if ("texts" in part) return part.texts.map((piece, index) => piece + writeAt(part.parts, index)).join("");
    const key = JSON.stringify([part.type, part.value]);
    const name = names.get(key) ?? `p${names.size}`;
    names.set(key, name);
    values[name] = part.value;
    return `{${name}:${part.type}}`;
  };
  const writeAt = (parts: readonly Part[], index: number): string => {
    const part = parts[index];
    return part === undefined ? "" : write(part);
  };
  return { query: write(statement), parameters: values };
}

const INTEGER_BITS = 64;

/** ClickHouse would parse a longer literal as a float. */
function wholeNumber(number: number | bigint): string {
  const integer = BigInt(number);
  if (integer !== BigInt.asIntN(INTEGER_BITS, integer)) throw new Error(`${integer} does not fit into 64 bits`);
  return String(integer);
}

/** Overrides the server's profile: no rows are dropped silently, and no value becomes NULL unless the statement says so. */
export const EXACT_SETTINGS = {
  output_format_decimal_trailing_zeros: 0,
  aggregate_functions_null_for_empty: 0,
  group_by_use_nulls: 0,
  prefer_column_name_to_alias: 0,
  decimal_check_overflow: 1,
  final: 0,
  extremes: 0,
  limit: 0,
  offset: 0,
  max_rows_to_read: 0,
  max_rows_to_group_by: 0,
  max_rows_to_sort: 0,
  max_result_rows: 0,
  read_overflow_mode: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  result_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
} as const;

const EXACTLY = Object.entries(EXACT_SETTINGS)
  .map(([name, value]) => `${name} = ${typeof value === "number" ? value : `'${value}'`}`)
  .join(", ");

/** For plans with very many charges and filters. A statement cannot set these limits, because they apply to parsing it. */
const LONG_STATEMENT = 100_000;
const OF_LONG_STATEMENTS = {
  max_query_size: 16_777_216,
  max_ast_elements: 5_000_000,
  max_expanded_ast_elements: 5_000_000,
} as const;

/** The rows of a select. A union must be nested in another select. */
export function rowsOf<Row>(clickhouse: Clickhouse, select: Sql): Promise<Row[]> {
  const { query, parameters } = compile(select);
  const settings = query.length > LONG_STATEMENT ? { settings: OF_LONG_STATEMENTS } : {};
  return clickhouse.query<Row>(`${query} settings ${EXACTLY}`, parameters, settings);
}
