/** Counts what happens to keys and sign-ins. Counting is a number in memory; a timer adds the numbers to the database. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { addCounts } from "./store.ts";

export const SECURITY_KINDS = ["sign_in_succeeded", "sign_in_failed", "export", "key_used", "key_refused"] as const;
export type SecurityKind = (typeof SECURITY_KINDS)[number];

export type CountSecurity = (kind: SecurityKind, organizationId?: string) => void;

/** Stands for no organization: nothing belongs to it, so no caller sees these counts. */
const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";
const FLUSH_MS = 5_000;

export type SecurityLog = {
  countSecurity: CountSecurity;
  /** Adds what was counted so far. */
  flushSecurity: () => Promise<void>;
  closeSecurity: () => Promise<void>;
};

export const dayOf = (now: Temporal.Instant): string => String(now.toZonedDateTimeISO("UTC").toPlainDate());

export function createSecurityLog(deps: { dispatcherDb: Database; clock: Clock; log: Log }): SecurityLog {
  const { dispatcherDb, clock, log } = deps;
  let counts = new Map<string, number>();
  const add = (name: string, count: number): void => void counts.set(name, (counts.get(name) ?? 0) + count);
  let flushing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (): Promise<void> => {
    if (counts.size === 0) return;
    const counted = counts;
    counts = new Map();
    try {
      await addCounts(dispatcherDb, [...counted].map(toCount));
    } catch (error) {
      log.warn({ err: error }, "security counts are not stored yet");
      for (const [name, count] of counted) add(name, count);
    }
  };
  const flushSecurity = (): Promise<void> => {
    flushing = flushing.then(flush);
    return flushing;
  };
  return {
    countSecurity: (kind, organizationId = NO_ORGANIZATION) => {
      add(`${organizationId} ${dayOf(clock.now())} ${kind}`, 1);
      // Starts with the first count, so that a command does not keep a timer.
      timer ??= setInterval(flushSecurity, FLUSH_MS).unref();
    },
    flushSecurity,
    closeSecurity: async () => {
      clearInterval(timer);
      await flushSecurity();
    },
  };
}

function toCount([name, count]: [string, number]) {
  const [organizationId = "", day = "", kind = ""] = name.split(" ");
  return { organizationId, day, kind, count };
}
