/** How much work waits for long or failed many times. Each source counts its own, with one bounded query. */

export type Waiting = {
  /** At most `ROWS_MAX`. */
  count: number;
  /** Since when the oldest of it should be done; null when nothing waits. */
  oldestAt: Temporal.Instant | null;
};

export type Patience = {
  now: Temporal.Instant;
  /** What was ready before this instant and is not done has waited for too long. */
  since: Temporal.Instant;
  /** So many attempts that failed are too many. */
  attempts: number;
};

/** No query looks at more rows, so that a probe stays cheap however much waits. */
export const ROWS_MAX = 2_000;

/** Whatever failed is tried again within this time. */
export const RETRY_MAX = Temporal.Duration.from({ hours: 1 });

export const NOTHING_WAITS: Waiting = { count: 0, oldestAt: null };
