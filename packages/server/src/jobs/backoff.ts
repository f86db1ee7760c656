/** When a failed attempt is retried, and what is recorded about it. */
import { sql } from "kysely";
import { isTransient } from "./failures.ts";

export type Failure = { now: Temporal.Instant; error: unknown; secondsMax: number };

/** Prefix of the error text of a temporary fault. Such attempts do not count towards parking. */
const PASSING = "passing: ";

/**
 * What a failed attempt changes in its row. After a temporary fault, the row is ready again 1, 2, 4, 8 … seconds after `now`, at most
 * `secondsMax`. After any other error, it is ready after a quarter of a second, a half, one …; the count starts with the first such error,
 * because the row is parked soon.
 */
export const failedAttempt = ({ now, error, secondsMax }: Failure) => {
  const isPassing = isTransient(error);
  const seconds = isPassing ? 1 : 0.25;
  return {
    attempts: isPassing
      ? sql<number>`attempts + 1`
      : sql<number>`case when last_error like ${`${PASSING}%`} then 1 else attempts + 1 end`,
    ready_at: sql<Temporal.Instant>`${now}::timestamptz
      + least(${seconds}::numeric * power(2, least(attempts, 20))::numeric, ${secondsMax}::numeric) * interval '1 second'`,
    last_error: `${isPassing ? PASSING : ""}${String(error)}`,
  };
};
