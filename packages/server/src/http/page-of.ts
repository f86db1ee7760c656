/** One page of a query: narrowed, ordered and placed as a request for a list says. */
import { parseInstant } from "@tallystick/core/time";
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { validate as isUuid } from "uuid";
import { containsTerm, type Search } from "../platform/postgres/find-by-term.ts";
import type { DB } from "../platform/postgres/schema.ts";
import { FORMATS } from "./formats.ts";
import { type FilterRequest, invalidCursor, type ListRequest, writeCursor } from "./list-query.ts";
import { type ListMeta, toApiMeta } from "./pagination.ts";

/** A column that a list is ordered by. A null is greater than every value. */
type SortColumn = { column: string; type: keyof typeof ACCEPTS; isNullable?: boolean };

/** The columns behind the names of a list. Each order ends with the id, which makes it total. */
export type ListColumns = {
  sorts: Readonly<Record<string, readonly SortColumn[]>>;
  /** Filters that compare a column. The store applies the others to the query. */
  filters?: Readonly<Record<string, string>>;
  /** What `search_term` compares, or what it finds. */
  search?: readonly string[] | Search;
  /** Default: `created_at`. */
  createdAt?: string;
  /** Default: counts what matches. */
  count?: () => Promise<number>;
};

export const byInstant = (column: string): SortColumn => ({ column, type: "timestamptz" });
export const byText = (column: string): SortColumn => ({ column, type: "text" });
export const byDate = (column: string): SortColumn => ({ column, type: "date" });
export const byInteger = (column: string): SortColumn => ({ column, type: "integer" });

/** Of every resource that is named by its code. */
export const CODED_COLUMNS: ListColumns = {
  sorts: { created_at: [byInstant("created_at")], name: [byText("name")], code: [byText("code")] },
  filters: { code: "code" },
  search: ["name", "code"],
};

/** A cursor comes from outside: a value that Postgres would refuse is refused here. */
const ACCEPTS = {
  timestamptz: (text: string) => parseInstant(text) !== undefined,
  date: (text: string) => FORMATS.date?.accepts(text) === true,
  integer: (text: string) => /^-?\d{1,9}$/.test(text),
  text: (text: string) => !text.includes("\0"),
};

/**
 * The ids of the page come from the index of the order alone, so a numbered page at the end costs little more than the first, and a page
 * by cursor costs the same everywhere. Only numbered pages are counted: a count reads every row that matches.
 */
export async function pageOf<Table extends keyof DB, Row extends { id: string }>(
  query: SelectQueryBuilder<DB, Table, Row>,
  list: ListRequest,
  columns: ListColumns,
): Promise<{ rows: Row[]; meta: ListMeta }> {
  const base = asOneOfCustomers(query);
  const narrowed = narrow(base, list, columns);
  const order = columns.sorts[list.sort.name] ?? [];
  const { page, after } = list;
  const inOrder = <O>(some: SelectQueryBuilder<DB, "customers", O>) =>
    order
      .reduce((sorted, { column }) => sorted.orderBy(sql.ref(column), directionOf(list)), some)
      .orderBy("id", directionOf(list));
  const idsOfPage = inOrder(after ? narrowed.where(isBeyond(order, list, after)) : narrowed)
    .clearSelect()
    .select("id")
    // One more shows whether there is a next page.
    .limit(page.size + 1)
    .offset(after ? 0 : page.offset);
  const isCounted = !after && list.isUncounted !== true;
  const { searchTerm } = list;
  const isBroad = columns.search !== undefined && "isBroad" in columns.search && columns.search.isBroad;
  const searched = searchTerm === undefined ? undefined : await searchIds(idsOfPage, isCounted && !isBroad);
  const rowsOfPage = searched ? base.where("id", "in", searched.ids) : narrowed.where("id", "in", idsOfPage);
  const found = (await inOrder(rowsOfPage).execute()) as Row[];
  const rows = found.slice(0, page.size);
  const last = found.length > page.size ? rows.at(-1) : undefined;
  const next_cursor = last ? writeCursor(list, placeOf(order, last)) : null;
  if (!isCounted) return { rows, meta: { ...UNCOUNTED, next_cursor } };
  const total = searched?.total ?? (await (columns.count ?? (() => countOf(narrowed)))());
  return { rows, meta: { ...toApiMeta(page, total), next_cursor } };
}

type Ids = SelectQueryBuilder<DB, "customers", { id: string }>;

/**
 * As a statement of their own: the planner does not know how many records a term finds, and would look for the ids in all of them. With
 * `isCounted`, one pass finds and counts. A page past the end has no count.
 */
async function searchIds(idsOfPage: Ids, isCounted: boolean): Promise<{ ids: string[]; total: number | undefined }> {
  const total = isCounted ? sql<bigint | null>`count(*) over ()` : sql<bigint | null>`null::bigint`;
  const found = await idsOfPage.select(total.as("total")).execute();
  const counted = found[0]?.total ?? undefined;
  // The list of ids is part of the next statement, where it may not be empty.
  return { ids: [NO_ID, ...found.map(({ id }) => id)], total: counted === undefined ? undefined : Number(counted) };
}

const NO_ID = "00000000-0000-0000-0000-000000000000";

/** Every row that the filters match, in no order. */
export const allOf = <Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  filters: FilterRequest,
  columns: ListColumns,
): SelectQueryBuilder<DB, Table, Row> =>
  narrow(asOneOfCustomers(query), filters, columns) as unknown as SelectQueryBuilder<DB, Table, Row>;

/** Any table would do here; naming one lets TypeScript check the columns that all have. */
const asOneOfCustomers = <Table extends keyof DB, Row>(query: SelectQueryBuilder<DB, Table, Row>) =>
  query as unknown as SelectQueryBuilder<DB, "customers", Row>;

/** The meta of a page by cursor. */
export const UNCOUNTED = { current_page: null, next_page: null, prev_page: null, total_pages: null, total_count: null };

const directionOf = ({ sort }: ListRequest) => (sort.isDescending ? "desc" : "asc");

function narrow<Row>(
  query: SelectQueryBuilder<DB, "customers", Row>,
  { filters, created, searchTerm }: FilterRequest,
  columns: ListColumns,
): SelectQueryBuilder<DB, "customers", Row> {
  const createdAt = sql.ref<Temporal.Instant>(columns.createdAt ?? "created_at");
  let narrowed = query;
  if (created.from) narrowed = narrowed.where(createdAt, ">=", created.from);
  if (created.before) narrowed = narrowed.where(createdAt, "<", created.before);
  for (const [name, column] of Object.entries(columns.filters ?? {})) {
    const values = filters[name];
    if (values) narrowed = narrowed.where(isOneOf(column, values));
  }
  const { search } = columns;
  if (searchTerm !== undefined && search)
    narrowed = narrowed.where("condition" in search ? search.condition : containsTerm(search, searchTerm));
  return narrowed;
}

/** With one value, an index that begins with the column also gives the order. */
const isOneOf = (column: string, values: readonly string[]): RawBuilder<boolean> =>
  values.length === 1 ? sql`${sql.ref(column)} = ${values[0]}` : sql`${sql.ref(column)} = any(${values}::text[])`;

/** The place of a row in an order. */
export const placeOf = (order: readonly SortColumn[], row: { id: string } & Readonly<Record<string, unknown>>) => [
  ...order.map(({ column }) => (row[column] === null ? null : String(row[column]))),
  row.id,
];

/** The rows after the place, in the order of the list. */
export function isBeyond(
  order: readonly SortColumn[],
  { sort }: Pick<ListRequest, "sort">,
  place: readonly (string | null)[],
): RawBuilder<boolean> {
  const values = place.slice(0, -1);
  const id = place.at(-1) ?? "";
  const isPlace = values.length === order.length && order.every((column, index) => accepts(column, values[index]));
  if (!isPlace || !isUuid(id)) throw invalidCursor();
  const than = sort.isDescending ? sql`<` : sql`>`;
  const columns = order.map(({ column }) => sql.ref(column));
  const bounds = order.map(({ type }, index) => sql`cast(${values[index]} as ${sql.raw(type)})`);
  const isAfter = sql<boolean>`(${sql.join([...columns, sql`id`])}) ${than} (${sql.join([...bounds, sql`${id}::uuid`])})`;
  const [first] = order;
  if (!first?.isNullable) return isAfter;
  const column = sql.ref(first.column);
  if (values[0] !== null) return sort.isDescending ? isAfter : sql`(${isAfter} or ${column} is null)`;
  const isAfterInNulls = sql<boolean>`(${column} is null and id ${than} ${id}::uuid)`;
  return sort.isDescending ? sql`(${isAfterInNulls} or ${column} is not null)` : isAfterInNulls;
}

const accepts = ({ type, isNullable }: SortColumn, value: string | null | undefined): boolean =>
  typeof value === "string" ? ACCEPTS[type](value) : value === null && isNullable === true;

async function countOf<Row>(query: SelectQueryBuilder<DB, "customers", Row>): Promise<number> {
  const { total } = await query
    .clearSelect()
    .select((count) => count.fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}
