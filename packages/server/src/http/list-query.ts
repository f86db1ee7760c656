/** What a list takes in its query: filters, an order, and a place. A list declares them here; its store maps the names to columns. */
import { type TSchema, Type } from "@fastify/type-provider-typebox";
import { parseInstant } from "@tallystick/core/time";
import { formatted, oneOf } from "./fields.ts";
import { type Page, PER_PAGE_MAX, pageQuery, readPage } from "./pagination.ts";
import { invalidMembers } from "./problem.ts";

/** Which records a request is about. */
export type FilterRequest<Filter extends string = string> = {
  created: { from: Temporal.Instant | undefined; before: Temporal.Instant | undefined };
  searchTerm: string | undefined;
  /** The requested values of each filter that is in the query. */
  filters: { readonly [Name in Filter]?: readonly string[] };
};

/** A request for a part of a list. */
export type ListRequest<Filter extends string = string> = FilterRequest<Filter> & {
  page: Page;
  sort: { name: string; isDescending: boolean };
  /** The values of the order in the last row of the previous page, and its id. undefined: pages by number. */
  after: readonly (string | null)[] | undefined;
  /** For the first records only: their number is not needed. */
  isUncounted?: true;
};

type FilterDeclaration<Choice extends string, Text extends string> = {
  /** Filters with a fixed set of values. They take one value or several, with or without `[]` after the name. */
  choices?: Readonly<Record<Choice, readonly string[]>>;
  /** Filters that take one text. */
  texts?: Readonly<Record<Text, TSchema>>;
  /** The members that `search_term` looks into, in words. */
  search?: string;
  /** The object has no `created_at`. */
  isUndated?: true;
};

type Declaration<Choice extends string, Text extends string> = FilterDeclaration<Choice, Text> & {
  /** The first is the default. Each can be reversed with `-`. */
  sorts: readonly [string, ...string[]];
};

const anyText = (description: string) => Type.Optional(Type.String({ description }));
const moment = (description: string) =>
  Type.Optional(formatted("datetime", { description, examples: ["2026-01-31T00:00:00Z", "2026-01-31"] }));

const placeQuery = {
  cursor: Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        "The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages.",
    }),
  ),
  limit: Type.Optional(
    Type.Unsafe<unknown>({
      "x-type": "integer",
      description: `Records per page, 1 to ${PER_PAGE_MAX}. Replaces \`per_page\`.`,
    }),
  ),
};

const createdQuery = {
  created_from: moment("Created then or later. A date begins at midnight UTC."),
  created_to: moment("Created then or earlier, to the second. A date includes its whole day in UTC."),
};

/** The filters of a list without its pages and its order: for what summarizes all of its records. */
export function declareFilters<Choice extends string = never, Text extends string = never>({
  choices,
  texts,
  search,
  isUndated,
}: FilterDeclaration<Choice, Text>) {
  const choiceNames = Object.keys(choices ?? {}) as Choice[];
  const filterNames = [...choiceNames, ...(Object.keys(texts ?? {}) as Text[])];
  return {
    querystring: Type.Object({
      ...(isUndated ? {} : createdQuery),
      ...(search === undefined ? {} : { search_term: anyText(`Part of the ${search}, in any case`) }),
      ...Object.fromEntries(choiceNames.flatMap((name) => bothForms(name, choices?.[name] ?? []))),
      ...Object.fromEntries(
        Object.entries<TSchema>(texts ?? {}).map(([name, schema]) => [name, Type.Optional(schema)]),
      ),
    }),
    read: (query: object): FilterRequest<Choice | Text> => {
      const input = query as Readonly<Record<string, unknown>>;
      return {
        created: { from: parseInstant(String(input.created_from ?? "")), before: readEnd(input.created_to) },
        searchTerm: String(input.search_term ?? "") || undefined,
        filters: readFilters(input, filterNames),
      };
    },
  };
}

export function declareList<Choice extends string = never, Text extends string = never>(
  declaration: Declaration<Choice, Text>,
) {
  const { sorts } = declaration;
  const filters = declareFilters(declaration);
  const names = sorts.map((sort) => sort.replace(/^-/, ""));
  const orders = names.flatMap((name) => [name, `-${name}`]);
  return {
    querystring: Type.Object({
      ...pageQuery,
      ...placeQuery,
      sort: Type.Optional(oneOf(orders, { description: `The order; \`-\` reverses it. Default: \`${sorts[0]}\`.` })),
      ...filters.querystring.properties,
    }),
    read: (query: object): ListRequest<Choice | Text> => {
      const input = query as Readonly<Record<string, unknown>>;
      const cursor = readCursor(input.cursor, orders);
      if (cursor && input.sort !== undefined && input.sort !== cursor.sort) throw invalidCursor();
      const sort = cursor?.sort ?? String(input.sort ?? sorts[0]);
      return {
        page: readPage({ page: input.page, per_page: readLimit(input.limit) ?? input.per_page }),
        sort: { name: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") },
        after: cursor?.after,
        ...filters.read(input),
      };
    },
  };
}

/** A parameter that occurs once arrives as text and not as a list. */
function bothForms(name: string, values: readonly string[]): [string, TSchema][] {
  const schema = Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ["array", "string"],
      items: { type: "string", enum: [...values] },
      pattern: `^(${values.map((value) => RegExp.escape(value)).join("|")})$`,
      description: `One or several of: ${values.map((value) => `\`${value}\``).join(", ")}`,
    }),
  );
  return [
    [name, schema],
    [`${name}[]`, schema],
  ];
}

function readFilters<Filter extends string>(
  query: Readonly<Record<string, unknown>>,
  names: readonly Filter[],
): ListRequest<Filter>["filters"] {
  const valuesOf = (name: string) => [query[name] ?? [], query[`${name}[]`] ?? []].flat(2) as string[];
  const given = names.map((name) => [name, valuesOf(name)] as const).filter(([, values]) => values.length > 0);
  return Object.fromEntries(given) as never;
}

/** Exclusive. Instants are shown to the second, so a record that is shown with this instant is included. */
function readEnd(text: unknown): Temporal.Instant | undefined {
  const end = parseInstant(String(text ?? ""));
  if (!end) return undefined;
  const isDate = !String(text).includes("T");
  return end.round({ smallestUnit: "second", roundingMode: "floor" }).add(isDate ? { hours: 24 } : { seconds: 1 });
}

/** Unlike `per_page`, an invalid value is an error. */
function readLimit(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= PER_PAGE_MAX)
    return value;
  const message = `Send a whole number from 1 up to ${PER_PAGE_MAX}.`;
  throw invalidMembers([
    { path: "limit", code: "value_is_invalid", message, limit: { minimum: 1, maximum: PER_PAGE_MAX } },
  ]);
}

const BAD_CURSOR =
  "This is no cursor of this list in this order. Send the `next_cursor` of the previous page with the same `sort`, or begin without one.";

export const invalidCursor = () => invalidMembers([{ path: "cursor", code: "value_is_invalid", message: BAD_CURSOR }]);

/** The order and the place. Opaque to clients, so that both can change. */
export const writeCursor = ({ sort }: ListRequest, place: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify([`${sort.isDescending ? "-" : ""}${sort.name}`, ...place])).toString("base64url");

function readCursor(
  text: unknown,
  orders: readonly string[],
): { sort: string; after: readonly (string | null)[] } | undefined {
  if (text === undefined) return undefined;
  const [sort, ...after] = parseList(Buffer.from(String(text), "base64url").toString());
  const isPlace = after.every((value) => value === null || typeof value === "string");
  if (typeof sort !== "string" || !orders.includes(sort) || !isPlace) throw invalidCursor();
  return { sort, after: after as (string | null)[] };
}

function parseList(json: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
