/** What must be true of a pooler before its connections may carry money. */
import { type Kysely, sql } from "kysely";
import type pg from "pg";
import type { Database } from "./database.ts";
import type { Role } from "./pool.ts";
import type { DB } from "./schema.ts";

type Identity = { system: string; database: string; is_replica: boolean };

/** The same statement at both ends. A copy of a server has its identifier too, but it is a replica, or another one was promoted. */
const IDENTITY = `select (select system_identifier::text from pg_control_system()) as system, current_database()::text as database,
  pg_is_in_recovery() as is_replica`;

/** Each fault in words, with its fix; empty if there is none. `direct` connects to Postgres itself. */
export async function findPoolerFaults(
  direct: pg.Pool,
  pooled: readonly { db: Database; role: Role }[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { db, role } of pooled) {
    const alone = await readRole(db);
    const inside = await db.transaction().execute(readRole);
    const wrong = [alone, inside].find((found) => found !== `tallystick_${role}`);
    if (wrong) faults.push(`statements through the pooler run as ${wrong} and not as tallystick_${role}`);
  }
  const [{ db } = { db: undefined }] = pooled;
  if (!db) return faults;
  const [there] = (await sql.raw<Identity>(IDENTITY).execute(db)).rows;
  const [here] = (await direct.query<Identity>(IDENTITY)).rows;
  if (JSON.stringify(there) !== JSON.stringify(here))
    faults.push("DATABASE_POOLER_URL leads to another database than DATABASE_URL: let both lead to the same");
  return faults;
}

async function readRole(db: Kysely<DB>): Promise<string | undefined> {
  const { rows } = await sql<{ role: string }>`select current_user::text as role`.execute(db);
  return rows[0]?.role;
}
