/** Which rows of which organization a request changed, as triggers of the campaign's own wrote it down. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";

export type Change = { organizationId: string; table: string };

/** Read since the last time, of these organizations. */
export type ReadChanges = (organizationIds: readonly string[]) => Promise<Change[]>;

/** A row that came and went is no change: the keys of a refused batch of events are taken and given back in one transaction. */
const TAKE = `
  with taken as (delete from prove.changes where organization_id = any($1::uuid[]) returning *),
  changed as (
    select organization_id, table_name, row_id, array_agg(operation order by number) as operations
    from taken group by organization_id, table_name, row_id
  )
  select distinct organization_id, table_name from changed
  where row_id is null or operations[1] <> 'INSERT' or operations[cardinality(operations)] <> 'DELETE'`;

export async function watchChanges(pool: pg.Pool): Promise<ReadChanges> {
  await pool.query(await readFile(join(import.meta.dirname, "changes.sql"), "utf8"));
  return async (organizationIds) => {
    const { rows } = await pool.query<{ organization_id: string; table_name: string }>(TAKE, [organizationIds]);
    return rows.map((row) => ({ organizationId: row.organization_id, table: row.table_name }));
  };
}
