/** How many events may be looked at one by one. */
import { usageErrors } from "./errors.ts";
import { hasList, hasTurns, type MetricReading } from "./metric-reading.ts";
import type { BucketRow } from "./rows.ts";

/** Each takes some hundred bytes here: ten million would end the process, and with it what it does for all others. */
export const LISTED_MAX = 2_000_000n;

/** Asked when the sums are known, before anything is listed. */
export function refuseLongLists(
  readings: readonly MetricReading[],
  rows: readonly Pick<BucketRow, "charge" | "counted">[],
  listedMax: bigint,
): void {
  const charges = readings.flatMap((reading) => reading.charges);
  const listing = new Set(
    charges.filter(({ charge }) => hasList(charge) || hasTurns(charge)).map(({ number }) => number),
  );
  const events = rows.filter(({ charge }) => listing.has(charge)).reduce((sum, { counted }) => sum + counted, 0n);
  if (events > listedMax) throw usageErrors.problem("too_many_events_one_by_one");
}
