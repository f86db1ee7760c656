/** Brings a database to the newest schema: roles, our migrations, the job library's tables. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runMigrations as migrateJobLibrary } from "graphile-worker";
import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import pg from "pg";
import { createDatabase } from "./database.ts";
import { createPool } from "./pool.ts";
import { refuseUnsupportedPostgres } from "./versions.ts";

const MIGRATIONS_FOLDER = join(import.meta.dirname, "migrations");

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
    await login.query(await readSql("bootstrap.sql"));
    const applied = await migrateOurTables(url);
    await migrateJobTables(serviceUrl);
    await login.query(await readSql("bootstrap-end.sql"));
    return applied;
  } finally {
    await login.end();
  }
}

/** All migrations, oldest first. */
async function listMigrations(): Promise<string[]> {
  return (await readdir(MIGRATIONS_FOLDER)).sort();
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
  const texts = await Promise.all(names.map((name) => readFile(join(MIGRATIONS_FOLDER, name, "up.sql"), "utf8")));
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

const readSql = (file: string): Promise<string> => readFile(join(import.meta.dirname, file), "utf8");
