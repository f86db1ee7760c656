/** What `/ready` says about the database: writes fail, or there are too few connections. */
import { sql } from "kysely";
import { tryToWrite } from "../jobs/queue.ts";
import type { Database } from "../platform/postgres/database.ts";
import type { DatabaseWatch, Trouble } from "../platform/postgres/database-watch.ts";

export type DatabaseWarningDeps = { dispatcherDb: Database; databaseWatch: DatabaseWatch; countUnopened: () => number };

const IN_WORDS: Record<Trouble, (seconds: number) => string> = {
  disk_full: () => "writes fail, because the disk of the database is full: make room on it",
  read_only: () =>
    "writes fail, because the database is read-only: connect to the primary, or set default_transaction_read_only = off",
  refused: () =>
    "the database refuses connections, because it has too few: raise max_connections, or lower DATABASE_CONNECTIONS and WORKER_CONCURRENCY",
  waits: (seconds) =>
    `work waited up to ${seconds.toFixed(1)} s for a database connection: raise DATABASE_CONNECTIONS or WORKER_CONCURRENCY, or start another process`,
};

/** Probes come from several balancers: those that come at once share one check. */
export function createDatabaseWarnings(deps: DatabaseWarningDeps): () => Promise<string[]> {
  let running: Promise<string[]> | undefined;
  return () => {
    running ??= findDatabaseWarnings(deps).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Without its database, the service says only that. */
export async function findDatabaseWarnings({
  dispatcherDb,
  databaseWatch,
  countUnopened,
}: DatabaseWarningDeps): Promise<string[]> {
  const lacking = await findLacking(dispatcherDb, countUnopened).catch(() => []);
  // The watch notes why it fails.
  await tryToWrite(dispatcherDb).catch(() => undefined);
  return [...databaseWatch.findTroubles().map(({ trouble, seconds }) => IN_WORDS[trouble](seconds)), ...lacking];
}

async function findLacking(dispatcherDb: Database, countUnopened: () => number): Promise<string[]> {
  const { rows } = await sql<{ free: number }>`
    select least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true)::integer, 0) - count(*),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
        - count(*) filter (where datname = current_database()),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user) - count(*) filter (where usename = session_user)
    )::integer as free
    from pg_stat_activity where usesysid is not null and leader_pid is null`.execute(dispatcherDb);
  const free = Math.max(0, rows[0]?.free ?? 0);
  const unopened = countUnopened();
  if (free >= unopened) return [];
  return [
    `Postgres has ${free} free connections, and this process may open ${unopened} more: raise max_connections, or lower DATABASE_CONNECTIONS and WORKER_CONCURRENCY`,
  ];
}
