/** How many events may be read one by one. */
import { usageErrors } from "./errors.ts";
import { hasList, hasTurns, type MetricReading } from "./metric-reading.ts";
import type { BucketRow } from "./rows.ts";

/** Each uses some hundred bytes of memory: ten million would crash the process, with all its other work. */
export const LISTED_MAX = 2_000_000n;

/** Called when the sums are known, before anything is listed. */
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
