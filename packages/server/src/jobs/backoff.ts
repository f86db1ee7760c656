/** When a failed attempt is made again, and what is noted about it. */
import { sql } from "kysely";
import { isTransient } from "./failures.ts";

export type Failure = { now: Temporal.Instant; error: unknown; secondsMax: number };

/** Before the words of an error that passes by itself: such attempts do not count towards parking. */
const PASSING = "passing: ";

/**
 * What a failed attempt changes in its row. An error that passes by itself: ready again 1, 2, 4, 8 … seconds after `now`, at most
 * `secondsMax`. Any other: a quarter of a second, a half, one …, and counted from the first of its kind on, for soon it is parked.
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
