/** The time that a charge is billed for, and which events it includes. */
import { type Aggregation, isRecurring } from "../catalog/index.ts";
import { type Decimal, decimal } from "../money/index.ts";
import { countDays, dayOf, startOfDay } from "../time/index.ts";
import { byTime, type UsageEvent } from "./event.ts";

/** The time that a charge is billed for, and the days it weighs. */
export type UsageWindow = {
  readonly from: Temporal.Instant;
  /** Exclusive: the next window begins there. */
  readonly to: Temporal.Instant;
  readonly timeZone: string;
  /** Local dates for proration, both inclusive. If an upgrade ended the subscription, the day of the upgrade is not included. */
  readonly firstDay: Temporal.PlainDate;
  readonly lastDay: Temporal.PlainDate;
  /** Days of the full period, which proration divides by. */
  readonly periodDays: number;
};

/** Whether an event at the exact end of a window is included. */
export type AtEnd = (event: UsageEvent) => boolean;

/**
 * The events of a window, in order of time, each once. A recurring metric includes all history up to the window's end; the others begin at
 * its start. Events at the exact end belong to the next window, unless `isSeenAtEnd` says that they came before it.
 */
export function eventsSeen(
  aggregation: Aggregation,
  events: readonly UsageEvent[],
  window: UsageWindow,
  isSeenAtEnd: AtEnd = () => false,
): readonly UsageEvent[] {
  const seesHistory = isRecurring(aggregation);
  return events
    .filter((event) => {
      const order = Temporal.Instant.compare(event.at, window.to);
      return order < 0 || (order === 0 && isSeenAtEnd(event));
    })
    .filter((event) => seesHistory || !isBefore(event, window))
    .sort(byTime)
    .filter((event, index, sorted) => {
      const previous = sorted[index - 1];
      return previous === undefined || byTime(previous, event) !== 0;
    });
}

export const isBefore = ({ at }: UsageEvent, { from }: UsageWindow): boolean => Temporal.Instant.compare(at, from) < 0;

const NANOSECOND = decimal("0.000000001");

/** The exact time from an instant to the end of the window. */
export const secondsUntilEnd = (at: Temporal.Instant, { to }: UsageWindow): Decimal =>
  decimal(String(to.epochNanoseconds - at.epochNanoseconds)).times(NANOSECOND);

const SECONDS_PER_DAY = 86_400n;

/** The nominal seconds of the full period, 86,400 a day also where clocks change. */
export const periodSeconds = ({ periodDays }: UsageWindow): bigint => BigInt(periodDays) * SECONDS_PER_DAY;

/** The days for units that were added on a day and stayed: from that day to the window's last day, at most the window's days. */
export function daysLeft(at: Temporal.Instant, window: UsageWindow): number {
  const day = dayOf(at, window.timeZone);
  return countDays(laterDay(day, window.firstDay), window.lastDay);
}

/**
 * The instants at which later days begin, each with one day less: an event at or after n of them is weighed by `daysLeftAfter(n)`. A store
 * without time zones counts days by these.
 */
export function dayMarks({ firstDay, lastDay, timeZone }: UsageWindow): Temporal.Instant[] {
  return Array.from({ length: countDays(firstDay, lastDay) }, (_, day) =>
    startOfDay(firstDay.add({ days: day + 1 }), timeZone),
  );
}

export const daysLeftAfter = (marks: number, { firstDay, lastDay }: UsageWindow): number =>
  countDays(firstDay.add({ days: marks }), lastDay);

export const laterDay = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? other : one;

export const earlierDay = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? one : other;
