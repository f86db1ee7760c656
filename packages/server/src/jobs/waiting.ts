/** How much work has waited for long or failed many times. Each source counts its own with one bounded query. */

export type Waiting = {
  /** At most `ROWS_MAX`. */
  count: number;
  /** When the oldest of these items should have been done; null if none waits. */
  oldestAt: Temporal.Instant | null;
};

export type Patience = {
  now: Temporal.Instant;
  /** Work that was ready before this instant and is not done has waited too long. */
  since: Temporal.Instant;
  /** This many failed attempts are too many. */
  attempts: number;
};

/** The most rows a query reads, so that a probe stays cheap however much work waits. */
export const ROWS_MAX = 2_000;

/** Failed work is retried within this time. */
export const RETRY_MAX = Temporal.Duration.from({ hours: 1 });

export const NOTHING_WAITS: Waiting = { count: 0, oldestAt: null };
