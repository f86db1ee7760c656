/** When the periods of a subscription begin and end. Every boundary is counted from the origin, never from its neighbor. */
import { dayOf, startOfDay } from "./day.ts";
import type { BillingTime, Interval } from "./interval.ts";
import type { Period } from "./period.ts";

export type Schedule = {
  readonly interval: Interval;
  readonly billingTime: BillingTime;
  /** Local date of subscription_at. Only anniversaries look at it. */
  readonly anchor: Temporal.PlainDate;
  readonly timeZone: string;
};

/** A Monday and the first of a year: weeks, months, quarters, half-years and years of the calendar all count from it. */
const CALENDAR_ORIGIN = Temporal.PlainDate.from("2001-01-01");

const MONTHS = { monthly: 1, quarterly: 3, semiannual: 6, yearly: 12 } as const;

/** The full period that holds the instant, whenever the subscription itself began. */
export function periodAt(schedule: Schedule, instant: Temporal.Instant): Period {
  return periodOn(schedule, dayOf(instant, schedule.timeZone));
}

/** The full period that holds the local day: 20 May in a calendar quarter is 1 April to 30 June, 91 days. */
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
 * The period that follows one of the same interval. It begins exactly where that one ends, also when the customer moved to
 * another zone since: some hours longer or shorter then than its nominal days, it bills every instant once. An anchor that
 * has another date in the new zone makes no stub of a period: the nominal days are those that begin nearest.
 */
export function periodAfter(schedule: Schedule, previous: Period): Period {
  const day = previous.lastDay.add({ days: 1 });
  const [earlier, later] = firstDaysAround(schedule, day);
  const isEarlierNearest = earlier.until(day).days <= day.until(later).days;
  return { ...periodOn(schedule, isEarlierNearest ? earlier : later), from: previous.to };
}

/** The month that holds the instant, of a yearly or semiannual plan whose charges are billed monthly; twelve or six tile its period. */
export function monthOf(schedule: Schedule, instant: Temporal.Instant): Period {
  return periodAt({ ...schedule, interval: "monthly" }, instant);
}

/** The first day of the period that holds the day, and that of the period after it. */
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
