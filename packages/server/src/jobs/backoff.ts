/** When a failed attempt is made again. */
import { type RawBuilder, sql } from "kysely";

/** 1, 2, 4, 8 … seconds after `now` by the row's `attempts` so far, at most `secondsMax`. */
export const retryAt = (now: Temporal.Instant, secondsMax: number): RawBuilder<Temporal.Instant> =>
  sql`${now}::timestamptz + least(power(2, least(attempts, 20)), ${secondsMax}::int) * interval '1 second'`;
