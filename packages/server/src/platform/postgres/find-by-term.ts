/** The records in which a term occurs, from indexes that work in spite of row level security (ADR 0076). */
import { type RawBuilder, sql } from "kysely";
import { anyOf } from "./any-of.ts";
import type { Tx } from "./database.ts";

type Kind = "customers" | "invoices" | "credit_notes" | "subscriptions";

/** A condition on the records of a list. */
export type Search = {
  condition: RawBuilder<boolean>;
  /** Many records have the term, so the first of them are found soon. */
  isBroad: boolean;
};

/** Above it, comparing every record in one pass costs less than looking up each. */
const FOUND_MAX = 20_000;

/** Above it, a page is found soon in the order of the list, and counting apart costs less than keeping all to count them. */
const FEW_MAX = 1_000;

/** The indexes are made of three characters in a row; whether other letters count among them depends on the locale of the database. */
const isShort = (term: string): boolean => !/[a-z0-9]{3}/i.test(term);

/** By the index of the kind if it helps, otherwise by comparing the columns. `idColumn` is what holds the ids of the kind. */
export async function searchFor(
  tx: Tx,
  organizationId: string,
  {
    kind,
    term,
    idColumn = "id",
    otherwise,
  }: {
    kind: Kind;
    term: string;
    idColumn?: string;
    otherwise: RawBuilder<boolean>;
  },
): Promise<Search> {
  if (isShort(term)) return { condition: otherwise, isBroad: false };
  // What is found is in the organization that is set for the transaction, whatever id is passed.
  const { rows } = await sql<{ id: string }>`
    select id from find_ids(${kind}, ${patternOf(term)}, ${FOUND_MAX + 1}) where organization_id = ${organizationId}
  `.execute(tx);
  if (rows.length > FOUND_MAX) return { condition: otherwise, isBroad: true };
  const ids = anyOf(rows.map(({ id }) => id));
  const condition = rows.length === 0 ? sql<boolean>`false` : sql<boolean>`${sql.ref(idColumn)} = ${ids}`;
  return { condition, isBroad: rows.length > FEW_MAX };
}

/** For the columns of a list whose own columns are searched. */
export const searchOf = async (
  tx: Tx,
  organizationId: string,
  { kind, term, columns }: { kind: Kind; term: string | undefined; columns: readonly string[] },
): Promise<{ search?: Search }> =>
  term === undefined
    ? {}
    : { search: await searchFor(tx, organizationId, { kind, term, otherwise: containsTerm(columns, term) }) };

/** A record that one of them finds. */
export const eitherOf = (searches: readonly Search[]): Search => ({
  condition: sql`(${sql.join(
    searches.map(({ condition }) => condition),
    sql` or `,
  )})`,
  isBroad: searches.some(({ isBroad }) => isBroad),
});

/** For `like` and `ilike`: the term anywhere in the text. Its own wildcards count as themselves. */
export const patternOf = (term: string): string => `%${term.replace(/[\\%_]/g, "\\$&")}%`;

/** Compares each record. */
export const containsTerm = (columns: readonly string[], term: string): RawBuilder<boolean> =>
  sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${patternOf(term)}`),
    sql` or `,
  )})`;
