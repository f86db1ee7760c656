/** Whether this machine's clock agrees with the database's. Work and writes wait while it does not. */
import { sql } from "kysely";
import type { Clock } from "./clock.ts";
import type { Database } from "./postgres/database.ts";
import type { Log } from "./telemetry/log.ts";
import type { Metrics } from "./telemetry/metrics.ts";

/** A clock that becomes wrong is noticed within this time. */
export const CLOCK_CHECK_EVERY_SECONDS = 10;
export const SKEW_SECONDS_MAX = 2;

export type ClockWatch = {
  isTrusted: () => boolean;
  /** Ahead of the database's clock; negative if behind. */
  skewSeconds: () => number;
  /** Resolves after the first check. API and worker of a process share the checks. */
  start: () => Promise<{ stop: () => void }>;
  /** One check, now. */
  check: () => Promise<void>;
};

type Deps = {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Without it, as in tests that replace the clock, any time is right. */
  readThere: (() => Promise<Temporal.Instant>) | undefined;
};

export function createClockWatch({ clock, log, metrics, readThere }: Deps): ClockWatch {
  let skew = 0;
  let watchers = 0;
  let timer: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    if (!readThere) return;
    try {
      const before = clock.now();
      const there = await readThere();
      skew = skewBetween(before, there, clock.now());
      metrics.clockSkewSeconds.set(skew);
      if (Math.abs(skew) > SKEW_SECONDS_MAX)
        log.error(
          { skewSeconds: skew },
          "the clock differs from the database's: work is paused and writes are refused",
        );
    } catch (error) {
      // Without the database nothing is written anyway. What was found last still holds.
      log.error({ err: error }, "skew unknown");
    }
  };
  const start = async () => {
    watchers += 1;
    timer ??= setInterval(() => void check(), CLOCK_CHECK_EVERY_SECONDS * 1000).unref();
    await check();
    return {
      stop: () => {
        watchers -= 1;
        if (watchers > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };
  return { isTrusted: () => Math.abs(skew) <= SKEW_SECONDS_MAX, skewSeconds: () => skew, start, check };
}

/** A slow answer says nothing about the clock, so only what lies outside of the time of the question counts. */
function skewBetween(before: Temporal.Instant, there: Temporal.Instant, after: Temporal.Instant): number {
  if (Temporal.Instant.compare(before, there) > 0) return before.since(there).total("seconds");
  if (Temporal.Instant.compare(after, there) < 0) return after.since(there).total("seconds");
  return 0;
}

export async function readDatabaseClock(dispatcherDb: Database): Promise<Temporal.Instant> {
  const { rows } = await sql<{ now: Temporal.Instant }>`select clock_timestamp() as now`.execute(dispatcherDb);
  const [row] = rows;
  if (!row) throw new Error("the database tells no time");
  return row.now;
}
