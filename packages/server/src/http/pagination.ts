/** Pages of a list: `page` and `per_page` in, `meta` out. The rest of a list's query is in `list-query.ts`. */
import { type Static, type TSchema, Type } from "@fastify/type-provider-typebox";
import { nullable } from "./fields.ts";
import { namedObject } from "./named-object.ts";
import { invalidMembers } from "./problem.ts";

const PER_PAGE_DEFAULT = 100;
export const PER_PAGE_MAX = 1000;

export type Page = { number: number; size: number; offset: number };
export type PageOf<T> = { rows: T[]; total: number };
export type ListMeta = Static<typeof listMetaSchema>;

/** Documented as integers (x-type), but any text is accepted: an invalid value falls back to the default. */
export const pageQuery = {
  page: Type.Optional(
    Type.Unsafe<unknown>({ "x-type": "integer", description: "The page number. Starts at 1, the default." }),
  ),
  per_page: Type.Optional(
    Type.Unsafe<unknown>({
      "x-type": "integer",
      description: `Records per page. Default ${PER_PAGE_DEFAULT}, at most ${PER_PAGE_MAX}.`,
    }),
  ),
};

const metaSchema = namedObject("Meta", {
  current_page: Type.Integer(),
  next_page: nullable(Type.Integer()),
  prev_page: nullable(Type.Integer()),
  total_pages: Type.Integer(),
  total_count: Type.Integer(),
});

const numbered = (description: string) =>
  nullable(Type.Integer({ description: `${description} Null on a page by cursor.` }));

/** A page by cursor has no number and is not counted. */
export const listMetaSchema = namedObject("ListMeta", {
  current_page: numbered("The number of this page."),
  next_page: nullable(Type.Integer()),
  prev_page: nullable(Type.Integer()),
  total_pages: numbered("The number of pages."),
  total_count: numbered("The number of records that match."),
  next_cursor: nullable(Type.String({ description: "The `cursor` of the next page; null on the last page" })),
});

/** `{taxes: [...], meta: {...}}` */
export const listEnvelope = <Name extends string, T extends TSchema>(name: Name, schema: T) =>
  envelopeOf(name, schema, listMetaSchema);

/** For what has numbered pages only. */
export const pagesEnvelope = <Name extends string, T extends TSchema>(name: Name, schema: T) =>
  envelopeOf(name, schema, metaSchema);

const envelopeOf = <Name extends string, T extends TSchema, Meta extends TSchema>(name: Name, schema: T, meta: Meta) =>
  Type.Object({ [name]: Type.Array(schema), meta } as Record<Name, ReturnType<typeof Type.Array<T>>> & { meta: Meta }, {
    description: `A page of the ${name.replaceAll("_", " ")}`,
  });

export function readPage(query: { page?: unknown; per_page?: unknown }): Page {
  const number = positiveInteger(query.page) ?? 1;
  const size = Math.min(positiveInteger(query.per_page) ?? PER_PAGE_DEFAULT, PER_PAGE_MAX);
  return { number, size, offset: (number - 1) * size };
}

/** An empty result has page 0; a page past the end keeps its number and points back to the last one. */
export function toApiMeta(page: Page, total: number) {
  const pages = Math.ceil(total / page.size);
  if (total === 0) return { current_page: 0, next_page: null, prev_page: null, total_pages: 0, total_count: 0 };
  return {
    current_page: page.number,
    next_page: page.number < pages ? page.number + 1 : null,
    prev_page: page.number > 1 ? Math.min(page.number - 1, pages) : null,
    total_pages: pages,
    total_count: total,
  };
}

/** About a megabyte as an answer, during which a process answers nothing else for a twentieth of a second. */
const STORED_BYTES_MAX = 600_000;

/** For records that can be large. Called before they are loaded. A single record is always shown. */
export function demandSmallPage(records: number, storedBytes: number): void {
  if (records < 2 || storedBytes <= STORED_BYTES_MAX) return;
  const fitting = Math.max(1, Math.floor((records * STORED_BYTES_MAX) / storedBytes));
  const message = `The ${records} records of this page are too large for one answer. Ask for about ${fitting} per page.`;
  throw invalidMembers([{ path: "per_page", code: "too_many_items", message }]);
}

function positiveInteger(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^\d{1,9}$/.test(value)) return undefined;
  const number = Number(value);
  return number > 0 ? number : undefined;
}
