/** Brings a database to the newest schema: roles, our migrations, the job library's tables. */
import { readdir, readFile } from "node:fs/promises";
import { runMigrations as migrateJobLibrary } from "graphile-worker";
import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import pg from "pg";
import { assetPath } from "../assets.ts";
import { createDatabase } from "./database.ts";
import { createPool } from "./pool.ts";
import { refuseUnsupportedPostgres } from "./versions.ts";

/** An arbitrary number that all processes share. */
const MIGRATION_LOCK = 7_417_290_263;

/**
 * Returns the names of the migrations that were applied now; none if the database was up to date. The tables of the job library belong to the
 * role of the workers, who could plant a trigger there. So the login of the service migrates them: in a session that may become the owner, that
 * trigger could become the owner too.
 */
export async function migrate(url: string, serviceUrl = url): Promise<string[]> {
  const login = new pg.Client({ connectionString: url });
  await login.connect();
  try {
    await refuseUnsupportedPostgres(login);
    // Locked until the connection ends: two processes cannot write grants and functions at once.
    await login.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await refuseNewerSchema(login);
    await login.query(await readSql("bootstrap.sql"));
    const applied = await migrateOurTables(url);
    await migrateJobTables(serviceUrl);
    await login.query(await readSql("bootstrap-end.sql"));
    return applied;
  } finally {
    await login.end();
  }
}

/** Before anything is written. After a rollback, an older release finds what a newer one has made; it can run on it, but not migrate it. */
async function refuseNewerSchema(login: pg.Client): Promise<void> {
  const ofOwner = await login.query(
    `select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = 'migrations' and relname = 'applied' and pg_has_role(current_user, relowner, 'member')`,
  );
  // Without the table, or without the right to read it: then the next step says what is missing.
  if (ofOwner.rowCount === 0) return;
  await login.query("begin; set local role tallystick_owner");
  const { rows } = await login.query<{ name: string }>("select name from migrations.applied order by name");
  await login.query("rollback");
  const known = new Set(await listMigrations());
  const unknown = rows.map(({ name }) => name).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(
      `The database is newer than this release, which does not know ${unknown.join(", ")}. Nothing was changed.\n` +
        'This release can serve the database as it is: start it with "npm start", without migrating. To change the schema, use the newer release.',
    );
}

/** All migrations, oldest first. */
async function listMigrations(): Promise<string[]> {
  return (await readdir(assetPath("postgres", "migrations"))).sort();
}

/** Names of the migrations that the database still lacks. */
export async function pendingMigrations(db: ReturnType<typeof createDatabase>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations.applied`.execute(db);
  const applied = new Set(rows.map((row) => row.name));
  return (await listMigrations()).filter((name) => !applied.has(name));
}

async function migrateOurTables(url: string): Promise<string[]> {
  const db = createDatabase(createPool({ url, role: "owner", connectionsMax: 1, statementTimeoutMs: 0 }));
  try {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: readMigrations },
      migrationTableSchema: "migrations",
      migrationTableName: "applied",
      migrationLockTableName: "lock",
    });
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error) {
      const failed = results.find((result) => result.status === "Error")?.migrationName ?? "before the first migration";
      throw new Error(`Migration failed: ${failed}. Nothing of it was kept.`, { cause: error });
    }
    await sql`grant usage on schema migrations to tallystick_app`.execute(db);
    await sql`grant select on migrations.applied to tallystick_app`.execute(db);
    return results.map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const names = await listMigrations();
  const texts = await Promise.all(
    names.map((name) => readFile(assetPath("postgres", "migrations", name, "up.sql"), "utf8")),
  );
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        up: async (db) => {
          await sql`set local lock_timeout = '2s'`.execute(db);
          await sql.raw(texts[index] ?? "").execute(db);
        },
      } satisfies Migration,
    ]),
  );
}

async function migrateJobTables(url: string): Promise<void> {
  const pool = createPool({ url, role: "dispatcher", connectionsMax: 2, statementTimeoutMs: 0, isForLibrary: true });
  try {
    await migrateJobLibrary({ pgPool: pool });
    await pool.query(await readSql("jobs-schema.sql"));
  } finally {
    await pool.end();
  }
}

const readSql = (file: string): Promise<string> => readFile(assetPath("postgres", file), "utf8");
