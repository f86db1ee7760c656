/** What a process noticed of its database lately: waits for a connection, refused connections, failed writes. For `/ready`. */
import type { Pool, PoolClient } from "pg";

/** A trouble that nobody meets any more is forgotten after this time. */
const KEPT_MS = 60_000;
/** A pool gives up after 10 seconds. */
const WAIT_MIN_MS = 3_000;

export type Trouble = "waits" | "refused" | "disk_full" | "read_only";

export type DatabaseWatch = {
  /** Takes a connection of a pool, and measures how long that takes if all are in use. */
  connect: (pool: Pool) => Promise<PoolClient>;
  noteError: (error: unknown) => void;
  /** The troubles of the last minute; of waits, the longest in seconds. */
  findTroubles: () => { trouble: Trouble; seconds: number }[];
};

export function createDatabaseWatch(): DatabaseWatch {
  const noted = new Map<Trouble, { at: number; seconds: number }>();
  const isKept = (at: number): boolean => performance.now() - at < KEPT_MS;
  const note = (trouble: Trouble, seconds = 0): void => {
    const known = noted.get(trouble);
    const longest = known && isKept(known.at) ? Math.max(known.seconds, seconds) : seconds;
    noted.set(trouble, { at: performance.now(), seconds: longest });
  };
  const noteError = (error: unknown): void => {
    const trouble = troubleOf(error);
    if (trouble) note(trouble);
  };
  return {
    noteError,
    connect: async (pool) => {
      // A machine that is slow to open the first connections lacks none.
      const isFull = pool.totalCount >= pool.options.max && pool.idleCount === 0;
      const begun = performance.now();
      try {
        return await pool.connect();
      } catch (error) {
        noteError(error);
        throw error;
      } finally {
        const waitedMs = performance.now() - begun;
        if (isFull && waitedMs >= WAIT_MIN_MS) note("waits", waitedMs / 1000);
      }
    },
    findTroubles: () =>
      [...noted].filter(([, { at }]) => isKept(at)).map(([trouble, { seconds }]) => ({ trouble, seconds })),
  };
}

export function troubleOf(error: unknown): Trouble | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === "53300") return "refused";
  if (code === "53100") return "disk_full";
  if (code === "25006") return "read_only";
  // PgBouncer has one code for everything that it refuses.
  if (code === "08P01" && /no more connections allowed|query_wait_timeout/.test(String(message))) return "refused";
  return undefined;
}
