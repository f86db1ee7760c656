/** The stretch of time a charge is billed for, and which events it sees. */
import { type Aggregation, isRecurring } from "../catalog/index.ts";
import { type Decimal, decimal } from "../money/index.ts";
import { countDays, dayOf, startOfDay } from "../time/index.ts";
import { byTime, type UsageEvent } from "./event.ts";

/** The stretch of time a charge is billed for, and the days it weighs. */
export type UsageWindow = {
  readonly from: Temporal.Instant;
  /** Not included: the next window begins there. */
  readonly to: Temporal.Instant;
  readonly timeZone: string;
  /** Local dates that count for proration, both included. Of a subscription ended by an upgrade the day of the upgrade is not among them. */
  readonly firstDay: Temporal.PlainDate;
  readonly lastDay: Temporal.PlainDate;
  /** Days of the full period the window lies in: what proration divides by. */
  readonly periodDays: number;
};

/** Whether an event at the very end of a window is seen, too. */
export type AtEnd = (event: UsageEvent) => boolean;

/**
 * The events a window sees, in order of time, each once: a recurring metric sees all history up to the window's end, the
 * others begin at its start. Events at its end itself are of the next one, unless `isSeenAtEnd` says that they came before it.
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

/** Days that units weigh which came on a day and stayed: from it to the window's last day, at most the window's days. */
export function daysLeft(at: Temporal.Instant, window: UsageWindow): number {
  const day = dayOf(at, window.timeZone);
  return countDays(laterDay(day, window.firstDay), window.lastDay);
}

/**
 * The instants at which days begin that weigh less than the first: what came at or after n of them weighs
 * `daysLeftAfter(n)`. A store that knows no zones counts days by these.
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
