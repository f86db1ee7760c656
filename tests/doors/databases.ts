// Inspects a database server from outside.

import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";

export async function listDatabases(url: string): Promise<string[]> {
  const rows = await runOn<{ datname: string }>(url, "select datname from pg_database order by datname");
  return rows.map((row) => row.datname);
}
