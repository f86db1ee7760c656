/** A billing period: what is billed together, and the days for proration. */
import { countDays } from "./day.ts";

/** Half-open: `from` belongs to it, `to` to the next one. */
export type Period = {
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
  /** Local dates of the nominal period, both inclusive. Proration counts these days, never hours. */
  readonly firstDay: Temporal.PlainDate;
  readonly lastDay: Temporal.PlainDate;
};

/** The length that proration divides by: 30 for any November, even if it lasts 30 days and an hour. */
export function periodDays(period: Period): number {
  return countDays(period.firstDay, period.lastDay);
}

/** The displayed end of a half-open window: its last whole second, 23:59:59 for one that ends at midnight. */
export function lastSecond(to: Temporal.Instant): Temporal.Instant {
  return to.subtract({ nanoseconds: 1 }).round({ smallestUnit: "second", roundingMode: "floor" });
}
