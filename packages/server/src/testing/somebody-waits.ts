import { runOn } from "../platform/postgres/temporary-database.ts";

const WAITING = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

/** Waits until this many connections wait for a lock. Returns a word, so that a test can race it against an answer. */
export async function somebodyWaits(databaseUrl: string, count = 1): Promise<"waits"> {
  while ((await runOn(databaseUrl, WAITING)).length < count);
  return "waits";
}
