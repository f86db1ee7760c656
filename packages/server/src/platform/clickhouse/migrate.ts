/**
 * Brings the ClickHouse of an installation to the newest schema. Two processes may do it at once, because every statement is repeatable.
 */
import { readdir, readFile } from "node:fs/promises";
import { assetPath } from "../assets.ts";
import { type Clickhouse, type ClickhouseConfig, createClickhouse, createDatabase } from "./clickhouse.ts";
import { ClickhouseUnreachable } from "./errors.ts";
import { renderMigration } from "./render-migration.ts";
import { refuseUnsupportedClickhouse } from "./versions.ts";

/** Returns the names of the migrations that were applied now; none if the database was up to date. */
export async function migrateClickhouse(config: ClickhouseConfig): Promise<string[]> {
  await createDatabase(config);
  const clickhouse = createClickhouse(config);
  try {
    await refuseUnsupportedClickhouse(clickhouse);
    await clickhouse.command(appliedTable(config.cluster));
    const pending = await pendingOf(clickhouse);
    for (const name of pending) await apply(clickhouse, name);
    return pending;
  } finally {
    await clickhouse.close();
  }
}

/**
 * Every statement waits for the schema. A server that was down at start-up is migrated as soon as it responds; until then each caller gets
 * the reason.
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

/** A server that accepts a connection and does not respond must not block callers that can do without it. */
const endOfPatience = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const refuse = (): void => reject(new ClickhouseUnreachable("ClickHouse did not answer in time"));
    if (signal.aborted) refuse();
    else signal.addEventListener("abort", refuse, { once: true });
  });

/**
 * Changes when the copy is rebuilt: rows that were sent to the previous copy are not in the new one. Null if there is no copy. All servers
 * of a cluster have the same id.
 */
export async function copyIdentity(clickhouse: Clickhouse): Promise<string | null> {
  const statement =
    "select toString(uuid) as id from system.tables where database = currentDatabase() and name = 'events'";
  const [table] = await clickhouse.query<{ id: string }>(statement);
  return table?.id ?? null;
}

/** Replicated over all servers of a cluster, whatever their shard, because each has the same schema. */
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

/** A migration that failed half-way is not recorded, and runs again from its first statement. */
async function apply(clickhouse: Clickhouse, name: string): Promise<void> {
  for (const statement of renderMigration(await readMigration(name), clickhouse.cluster))
    await clickhouse.command(statement);
  await clickhouse.insert({ table: "migrations_applied", rows: [{ name }], token: `migration:${name}` });
}

export const listMigrations = async (): Promise<string[]> => (await readdir(assetPath("clickhouseMigrations"))).sort();

export const readMigration = (name: string): Promise<string> =>
  readFile(assetPath("clickhouseMigrations", name, "up.sql"), "utf8");
