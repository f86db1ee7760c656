/** The content of `/ready`: what keeps the service from working, what does not work although requests are accepted, and what is stuck. */
import type { Clickhouse } from "../platform/clickhouse/clickhouse.ts";
import { ClickhouseUnsupported } from "../platform/clickhouse/errors.ts";
import { type ClockWatch, SKEW_SECONDS_MAX } from "../platform/clock-watch.ts";
import type { Database } from "../platform/postgres/database.ts";
import { troubleOf } from "../platform/postgres/database-watch.ts";
import { pendingMigrations } from "../platform/postgres/migrate.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { createDatabaseWarnings, type DatabaseWarningDeps, findDatabaseWarnings } from "./database-warnings.ts";
import { CLICKHOUSE_PATIENCE_MS } from "./databases.ts";
import { findParkedWarnings } from "./parked-items.ts";
import { findSealedWarnings } from "./sealed-warnings.ts";
import { createStuckWork, type StuckDeps } from "./stuck-work.ts";

type WarningDeps = DatabaseWarningDeps & {
  log: Log;
  clickhouse: Clickhouse | undefined;
  clockWatch: ClockWatch;
  masterKeys: MasterKeys | null;
};
type ReadinessDeps = WarningDeps & Omit<StuckDeps, "hasClickhouse"> & { db: Database };

export const composeReadiness = (deps: ReadinessDeps) => {
  const findOfDatabase = createDatabaseWarnings(deps);
  return {
    findObstacles: () => findObstacles(deps.db),
    findWarnings: () => findAllWarnings(deps, findOfDatabase),
    findStuck: createStuckWork({ ...deps, hasClickhouse: deps.clickhouse !== undefined }),
  };
};

async function findObstacles(db: Database): Promise<string[]> {
  try {
    const pending = await pendingMigrations(db);
    return pending.length === 0 ? [] : [`the database lacks migrations (${pending.join(", ")}): run "npm run migrate"`];
  } catch (error) {
    return [troubleOf(error) === "refused" ? "the database has no connection left" : "the database does not respond"];
  }
}

/** When a process starts. */
export const findWarnings = (deps: WarningDeps): Promise<string[]> =>
  findAllWarnings(deps, () => findDatabaseWarnings(deps));

/** Not an obstacle: a process that is not ready gets no requests, and events must be accepted while ClickHouse is unavailable. */
const findAllWarnings = async (deps: WarningDeps, findOfDatabase: () => Promise<string[]>): Promise<string[]> => [
  ...findClockWarnings(deps),
  ...(await findOfDatabase()),
  ...(await findUsageWarnings(deps)),
  ...(await findParkedWarnings(deps)),
  ...(await findSealedWarnings(deps)),
];

/** Not an obstacle either: if the database's clock is the wrong one, every process would stop answering reads. */
function findClockWarnings({ clockWatch }: WarningDeps): string[] {
  if (clockWatch.isTrusted()) return [];
  const seconds = clockWatch.skewSeconds();
  const apart = `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? "ahead of" : "behind"} the database's`;
  return [
    `writes are refused and work is paused, because the clock of this machine is ${apart}, and at most ${SKEW_SECONDS_MAX} s are allowed: set both by NTP`,
  ];
}

/** Addresses and names of servers are in the log, because the page needs no key. */
async function findUsageWarnings({ clickhouse, log }: WarningDeps): Promise<string[]> {
  try {
    await clickhouse?.query("select 1", {}, { signal: AbortSignal.timeout(CLICKHOUSE_PATIENCE_MS) });
    return [];
  } catch (error) {
    log.warn({ err: error }, "ClickHouse cannot be used");
    const reason =
      error instanceof ClickhouseUnsupported ? error.message : "ClickHouse cannot be used, and the log says why";
    return [`events are accepted, but usage cannot be read and bills wait: ${reason}`];
  }
}
