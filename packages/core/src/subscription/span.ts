/** The part of a period that a subscription covers: what a bill covers, by instants and by local days. */
import { countDays, dayOf, type Period, periodDays, startOfDay } from "../time/index.ts";
import type { UsageWindow } from "../usage/index.ts";
import { earlierDay, earlierInstant, isBefore, laterDay, laterInstant } from "./order.ts";
import type { Started } from "./subscription.ts";

export type Span = {
  readonly from: Temporal.Instant;
  /** Not included. */
  readonly to: Temporal.Instant;
  /** Local dates that count, both included. */
  readonly firstDay: Temporal.PlainDate;
  readonly lastDay: Temporal.PlainDate;
  /** Days of the full period, which proration divides by. */
  readonly periodDays: number;
};

/** What a subscription fee covers: a span that begins at the midnight of its first day, and its free days. */
export type FeeWindow = Span & { readonly freeDays: number };

/** Local days of a span: January 8 to 31 are 24. */
export const daysOf = ({ firstDay, lastDay }: Span): number => countDays(firstDay, lastDay);

/** The days of a period that a subscription covers; null if there are none (upgraded on its first day). */
export function spanIn(subscription: Started, period: Period): Span | null {
  const { startDay, startedAt, timeZone } = subscription;
  const firstDay = laterDay(period.firstDay, startDay);
  const to = endIn(subscription, period);
  // After a move to another zone, the midnight of the start day may be after the start, or even after the end.
  const from = earlierInstant(startOfDay(startDay, timeZone), earlierInstant(startedAt, to));
  const span: Span = {
    from: firstDay.equals(period.firstDay) ? period.from : from,
    to,
    firstDay,
    lastDay: lastDayIn(subscription, period, firstDay),
    periodDays: periodDays(period),
  };
  return daysOf(span) === 0 ? null : span;
}

/** The span of a fee, with the days that its trial makes free: paid days begin on the day the trial ends. */
export function feeWindowIn(subscription: Started, period: Period): FeeWindow | null {
  const span = spanIn(subscription, period);
  return span && { ...span, freeDays: freeDays(subscription, span) };
}

/** The usage of a period that a subscription bills: from its exact start to its exact end; null if no instant is left. */
export function usageWindowIn(subscription: Started, period: Period): UsageWindow | null {
  const firstDay = laterDay(period.firstDay, subscription.startDay);
  const window: UsageWindow = {
    from: laterInstant(period.from, subscription.startedAt),
    to: endIn(subscription, period),
    timeZone: subscription.timeZone,
    firstDay,
    lastDay: lastDayIn(subscription, period, firstDay),
    periodDays: periodDays(period),
  };
  return isBefore(window.from, window.to) ? window : null;
}

function endIn(subscription: Started, period: Period): Temporal.Instant {
  return subscription.status === "terminated" ? earlierInstant(subscription.terminatedAt, period.to) : period.to;
}

/** The day of an end belongs to the subscription that ends; the day of an upgrade belongs to the one that follows. */
function lastDayIn(subscription: Started, period: Period, firstDay: Temporal.PlainDate): Temporal.PlainDate {
  const end = endIn(subscription, period);
  if (subscription.status === "active" || end.equals(period.to)) return period.lastDay;
  // After a move to another zone, the local day of an instant may be outside the nominal days of its period.
  const day = earlierDay(laterDay(dayOf(end, subscription.timeZone), firstDay), period.lastDay);
  return subscription.cause === "upgraded" ? day.subtract({ days: 1 }) : day;
}

function freeDays({ trial, timeZone }: Started, span: Span): number {
  if (trial === null) return 0;
  const isFree = !isBefore(trial.endsAt, span.to);
  const firstPaidDay = laterDay(span.firstDay, dayOf(trial.endsAt, timeZone));
  return isFree ? daysOf(span) : daysOf(span) - countDays(firstPaidDay, span.lastDay);
}
