/** The database connections of a process, and what must be true of them before it starts. */
import type pg from "pg";
import type { Clickhouse } from "../platform/clickhouse/clickhouse.ts";
import { ClickhouseUnsupported } from "../platform/clickhouse/errors.ts";
import { createDatabase, type Database } from "../platform/postgres/database.ts";
import { createDatabaseWatch } from "../platform/postgres/database-watch.ts";
import { createBarePool, createPool, type RoleOptions } from "../platform/postgres/pool.ts";
import { createPooledDatabase } from "../platform/postgres/pooled-database.ts";
import { findPoolerFaults } from "../platform/postgres/pooler-safety.ts";
import { findUnsafeSettings } from "../platform/postgres/safety.ts";
import type { Config } from "./config.ts";
import { atPooler, POOLER_OFF } from "./database-logins.ts";

const APP = { role: "app", statementTimeoutMs: 5_000 } as const;
const DISPATCHER = { role: "dispatcher", statementTimeoutMs: 60_000 } as const;

/** The most connections of a process, by what they are for. The operating guide has the same formula. */
export const connectionsMaxOf = (config: Pick<Config, "DATABASE_CONNECTIONS" | "WORKER_CONCURRENCY">) => ({
  requests: config.DATABASE_CONNECTIONS,
  work: 4 * config.WORKER_CONCURRENCY + 2,
  queue: config.WORKER_CONCURRENCY + 2,
});

export function composeDatabases(config: Config) {
  const { DATABASE_URL, REQUESTS_DATABASE_URL, DATABASE_POOLER_URL: pooler } = config;
  const { requests, work, queue } = connectionsMaxOf(config);
  const databaseWatch = createDatabaseWatch();
  const isPooled = pooler !== POOLER_OFF;
  const openPool = (options: RoleOptions, url: string, connectionsMax: number): pg.Pool =>
    isPooled ? createBarePool({ ...options, url, connectionsMax }) : createPool({ ...options, url, connectionsMax });
  const databaseOn = (pool: pg.Pool, options: RoleOptions): Database =>
    isPooled ? createPooledDatabase(pool, options, databaseWatch) : createDatabase(pool, { watch: databaseWatch });
  const appPool = openPool(APP, isPooled ? atPooler(pooler, config) : REQUESTS_DATABASE_URL, requests);
  const workPool = openPool(DISPATCHER, isPooled ? pooler : DATABASE_URL, work);
  // The job library listens, and keeps settings on its connections, so it gets no pooler.
  const queuePool = createPool({ ...DISPATCHER, url: DATABASE_URL, connectionsMax: queue, isForLibrary: true });
  const direct = isPooled ? [queuePool] : [appPool, workPool, queuePool];
  const db = databaseOn(appPool, APP);
  const dispatcherDb = databaseOn(workPool, DISPATCHER);
  return {
    queuePool,
    db,
    dispatcherDb,
    databaseWatch,
    closeDatabases: async (): Promise<void> => {
      await Promise.all([db.destroy(), dispatcherDb.destroy(), queuePool.end()]);
    },
    /** How many more connections to Postgres itself this process may open. */
    countUnopened: () => direct.reduce((sum, pool) => sum + pool.options.max - pool.totalCount, 0),
  };
}

type Databases = Pick<ReturnType<typeof composeDatabases>, "queuePool" | "db" | "dispatcherDb"> & {
  config: Config;
  clickhouse: Clickhouse | undefined;
};

/** Why this process must not start, each reason with its fix; empty if there is none. */
export async function findDatabaseFaults({
  config,
  queuePool,
  clickhouse,
  ...databases
}: Databases): Promise<string[]> {
  const faults = await findUnsafeSettings(databases.db);
  if (config.DATABASE_POOLER_URL !== POOLER_OFF) {
    const pooled = [
      { db: databases.db, role: APP.role },
      { db: databases.dispatcherDb, role: DISPATCHER.role },
    ];
    faults.push(...(await findPoolerFaults(queuePool, pooled)));
  }
  return [...faults, ...(await findClickhouseFaults(clickhouse))];
}

/** A server that does not respond is no fault: events are accepted without it. */
async function findClickhouseFaults(clickhouse: Clickhouse | undefined): Promise<string[]> {
  try {
    await clickhouse?.query("select 1", {}, { signal: AbortSignal.timeout(CLICKHOUSE_PATIENCE_MS) });
    return [];
  } catch (error) {
    return error instanceof ClickhouseUnsupported ? [error.message] : [];
  }
}

export const CLICKHOUSE_PATIENCE_MS = 2_000;
