/** Brings the ClickHouse of an installation to the newest schema. Two may do it at once: every statement may be repeated. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clickhouse, type ClickhouseConfig, createClickhouse, createDatabase } from "./clickhouse.ts";
import { ClickhouseUnreachable } from "./errors.ts";
import { renderMigration } from "./render-migration.ts";

const MIGRATIONS_FOLDER = join(import.meta.dirname, "migrations");

/** Returns the names of the migrations that were applied now; none when the database was up to date. */
export async function migrateClickhouse(config: ClickhouseConfig): Promise<string[]> {
  await createDatabase(config);
  const clickhouse = createClickhouse(config);
  try {
    await clickhouse.command(appliedTable(config.cluster));
    const pending = await pendingOf(clickhouse);
    for (const name of pending) await apply(clickhouse, name);
    return pending;
  } finally {
    await clickhouse.close();
  }
}

/**
 * Every statement waits for the schema: a server that was down when the service started is brought up to date as soon as it
 * answers, and until then each caller hears why.
 */
export function createMigratedClickhouse(config: ClickhouseConfig): Clickhouse {
  const clickhouse = createClickhouse(config);
  let migrated: Promise<unknown> | undefined;
  let isMigrated = false;
  const whenMigrated = async (signal?: AbortSignal): Promise<void> => {
    if (isMigrated) return;
    migrated ??= migrateClickhouse(config).catch((error: unknown) => {
      migrated = undefined;
      throw error;
    });
    await (signal ? Promise.race([migrated, endOfPatience(signal)]) : migrated);
    isMigrated = true;
  };
  return {
    ...clickhouse,
    query: async (statement, parameters, options) => {
      await whenMigrated(options?.signal);
      return clickhouse.query(statement, parameters, options);
    },
    command: async (statement, parameters, options) => {
      await whenMigrated(options?.signal);
      await clickhouse.command(statement, parameters, options);
    },
    insert: async (rows, options) => {
      await whenMigrated(options?.signal);
      await clickhouse.insert(rows, options);
    },
  };
}

/** A server that takes a connection and says nothing must not hold those who would rather do without. */
const endOfPatience = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const refuse = (): void => reject(new ClickhouseUnreachable("ClickHouse did not answer in time"));
    if (signal.aborted) refuse();
    else signal.addEventListener("abort", refuse, { once: true });
  });

/**
 * Another one after the copy was made anew: what was sent to the one before is not in it. Null where there is none. All servers
 * of a cluster have the same.
 */
export async function copyIdentity(clickhouse: Clickhouse): Promise<string | null> {
  const statement =
    "select toString(uuid) as id from system.tables where database = currentDatabase() and name = 'events'";
  const [table] = await clickhouse.query<{ id: string }>(statement);
  return table?.id ?? null;
}

/** Replicated over all servers of a cluster, whatever their shard: the schema is the same on each. */
const appliedTable = (cluster: string | null): string => {
  const columns = "(name String, applied_at DateTime64(6, 'UTC') default now64(6))";
  return cluster === null
    ? `create table if not exists migrations_applied ${columns} engine = MergeTree order by name`
    : `create table if not exists migrations_applied on cluster '${cluster}' ${columns}
       engine = ReplicatedMergeTree('/clickhouse/tables/{database}/migrations_applied', '{shard}-{replica}') order by name`;
};

async function pendingOf(clickhouse: Clickhouse): Promise<string[]> {
  const rows = await clickhouse.query<{ name: string }>("select distinct name from migrations_applied");
  const applied = new Set(rows.map((row) => row.name));
  return (await listMigrations()).filter((name) => !applied.has(name));
}

/** A migration that ended half-way is not written down, and is done again from its first statement. */
async function apply(clickhouse: Clickhouse, name: string): Promise<void> {
  for (const statement of renderMigration(await readMigration(name), clickhouse.cluster))
    await clickhouse.command(statement);
  await clickhouse.insert({ table: "migrations_applied", rows: [{ name }], token: `migration:${name}` });
}

export const listMigrations = async (): Promise<string[]> => (await readdir(MIGRATIONS_FOLDER)).sort();

export const readMigration = (name: string): Promise<string> =>
  readFile(join(MIGRATIONS_FOLDER, name, "up.sql"), "utf8");
