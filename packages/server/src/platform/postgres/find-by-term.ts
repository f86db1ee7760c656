/** The ids of the records in which a term occurs, from indexes that work in spite of row level security (ADR 0076). */
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "./database.ts";

type Kind = "customers" | "invoices" | "credit_notes" | "subscriptions";

/** Above it, the caller reads every record in one pass instead of looking up each. */
const FOUND_MAX = 20_000;

/** The indexes are made of three characters in a row; whether other letters count among them depends on the locale of the database. */
export const isShort = (term: string): boolean => !/[a-z0-9]{3}/i.test(term);

/**
 * Returns undefined if the indexes do not help: the term is short, or more than 20,000 records have it. What is found is in the organization
 * that is set for the transaction, whatever id is passed.
 */
export async function findByTerm(
  tx: Tx,
  organizationId: string,
  { kind, term }: { kind: Kind; term: string },
): Promise<string[] | undefined> {
  if (isShort(term)) return undefined;
  const { rows } = await sql<{ id: string }>`
    select id from find_ids(${kind}, ${patternOf(term)}, ${FOUND_MAX + 1}) where organization_id = ${organizationId}
  `.execute(tx);
  return rows.length > FOUND_MAX ? undefined : rows.map(({ id }) => id);
}

/** For `like` and `ilike`: the term anywhere in the text. Its own wildcards count as themselves. */
export const patternOf = (term: string): string => `%${term.replace(/[\\%_]/g, "\\$&")}%`;

/** Without the indexes: compares each record. */
export const containsTerm = (columns: readonly string[], term: string): RawBuilder<boolean> =>
  sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${patternOf(term)}`),
    sql` or `,
  )})`;
