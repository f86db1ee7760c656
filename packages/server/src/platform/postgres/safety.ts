/** The conditions a database must meet before it can store money. */
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { faultOfPostgres } from "./versions.ts";

/** Each fault in words, with its fix; empty if there is none. */
export async function findUnsafeSettings(db: Database): Promise<string[]> {
  const { rows } = await sql<Settings>`
    select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
      current_user::text as role, (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as sees_everything
  `.execute(db);
  const [found] = rows;
  if (!found) return ["the database returned no settings"];
  const faults: string[] = [];
  const versionFault = faultOfPostgres(found.version);
  if (versionFault) faults.push(versionFault);
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"] as const) {
    if (found[name] === "off") faults.push(`${name} is off, so an acknowledged request can be lost: set ${name} = on`);
  }
  if (found.role !== "tallystick_app" || found.sees_everything) {
    faults.push(
      `connections run as ${found.role}, which bypasses row level security: a proxy dropped the start-up option "role"; connect to Postgres itself, and name a pooler in DATABASE_POOLER_URL`,
    );
  }
  return faults;
}

type Settings = {
  version: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  role: string;
  sees_everything: boolean;
};
