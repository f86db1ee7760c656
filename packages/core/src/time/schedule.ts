/** When the periods of a subscription begin and end. Every boundary is counted from the origin, never from the previous boundary. */
import { dayOf, startOfDay } from "./day.ts";
import type { BillingTime, Interval } from "./interval.ts";
import type { Period } from "./period.ts";

export type Schedule = {
  readonly interval: Interval;
  readonly billingTime: BillingTime;
  /** Local date of subscription_at. Only anniversaries use it. */
  readonly anchor: Temporal.PlainDate;
  readonly timeZone: string;
};

/** A Monday and the first day of a year, so that all calendar intervals count from it. */
const CALENDAR_ORIGIN = Temporal.PlainDate.from("2001-01-01");

const MONTHS = { monthly: 1, quarterly: 3, semiannual: 6, yearly: 12 } as const;

/** The full period that contains the instant, whenever the subscription began. */
export function periodAt(schedule: Schedule, instant: Temporal.Instant): Period {
  return periodOn(schedule, dayOf(instant, schedule.timeZone));
}

/** The full period that contains the local day: May 20 in a calendar quarter is April 1 to June 30, 91 days. */
export function periodOn(schedule: Schedule, day: Temporal.PlainDate): Period {
  const [firstDay, nextFirstDay] = firstDaysAround(schedule, day);
  return {
    from: startOfDay(firstDay, schedule.timeZone),
    to: startOfDay(nextFirstDay, schedule.timeZone),
    firstDay,
    lastDay: nextFirstDay.subtract({ days: 1 }),
  };
}

/**
 * The period after one of the same interval. It begins exactly where that one ends, even if the customer has moved to another zone. Then it
 * is some hours longer or shorter than its nominal days, and bills every instant once. An anchor with another date in the new zone makes no
 * partial period: the nominal days are those that begin nearest.
 */
export function periodAfter(schedule: Schedule, previous: Period): Period {
  const day = previous.lastDay.add({ days: 1 });
  const [earlier, later] = firstDaysAround(schedule, day);
  const isEarlierNearest = earlier.until(day).days <= day.until(later).days;
  return { ...periodOn(schedule, isEarlierNearest ? earlier : later), from: previous.to };
}

/** The month that contains the instant, of a yearly or semiannual plan with monthly charges. Twelve or six of them fill its period. */
export function monthOf(schedule: Schedule, instant: Temporal.Instant): Period {
  return periodAt({ ...schedule, interval: "monthly" }, instant);
}

/** The first day of the period that contains the day, and of the next period. */
function firstDaysAround(schedule: Schedule, day: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] {
  const origin = schedule.billingTime === "calendar" ? CALENDAR_ORIGIN : schedule.anchor;
  if (schedule.interval === "weekly") {
    const firstDay = day.subtract({ days: (day.dayOfWeek - origin.dayOfWeek + 7) % 7 });
    return [firstDay, firstDay.add({ days: 7 })];
  }
  const step = MONTHS[schedule.interval];
  const firstDayOf = (index: number) => origin.add({ months: index * step }, { overflow: "constrain" });
  const monthsSince = (day.year - origin.year) * 12 + day.month - origin.month;
  const index = Math.floor(monthsSince / step);
  const firstDay = firstDayOf(index);
  return Temporal.PlainDate.compare(firstDay, day) <= 0
    ? [firstDay, firstDayOf(index + 1)]
    : [firstDayOf(index - 1), firstDay];
}
