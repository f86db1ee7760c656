/** Which rows of which organization a request changed, as triggers of the campaign's own wrote it down. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";

export type Change = { organizationId: string; table: string };

/** Read since the last time, of these organizations. */
export type ReadChanges = (organizationIds: readonly string[]) => Promise<Change[]>;

const TAKE = `
  with taken as (delete from prove.changes where organization_id = any($1::uuid[]) returning organization_id, table_name)
  select distinct organization_id, table_name from taken`;

export async function watchChanges(pool: pg.Pool): Promise<ReadChanges> {
  await pool.query(await readFile(join(import.meta.dirname, "changes.sql"), "utf8"));
  return async (organizationIds) => {
    const { rows } = await pool.query<{ organization_id: string; table_name: string }>(TAKE, [organizationIds]);
    return rows.map((row) => ({ organizationId: row.organization_id, table: row.table_name }));
  };
}
