/** When a failed attempt is made again, and what is noted about it. */
import { sql } from "kysely";

export type Failure = { now: Temporal.Instant; error: string; secondsMax: number };

/** What a failed attempt changes in its row: it is ready again 1, 2, 4, 8 … seconds after `now`, at most `secondsMax`. */
export const failedAttempt = ({ now, error, secondsMax }: Failure) => ({
  attempts: sql<number>`attempts + 1`,
  ready_at: sql<Temporal.Instant>`${now}::timestamptz
    + least(power(2, least(attempts, 20)), ${secondsMax}::int) * interval '1 second'`,
  last_error: error,
});
