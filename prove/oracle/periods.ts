// Billing periods, found by walking the calendar and asking of each day whether a period begins on it.

import { dayOf, startOfDay } from "@tallystick/second-opinion/days";

export type PeriodCase = {
  interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  billingTime: "calendar" | "anniversary";
  /** Local date on which the subscription began. */
  anchor: string;
  timeZone: string;
  at: string;
};

export type Period = { from: string; to: string; firstDay: string; lastDay: string };

const MONTHS = { monthly: 1, quarterly: 3, semiannual: 6, yearly: 12 };

/** Whether a period begins on a day: calendar periods as if the subscription had begun on a Monday, 1 January. */
function beginsOn(day: Temporal.PlainDate, c: PeriodCase): boolean {
  const anchor = Temporal.PlainDate.from(c.billingTime === "calendar" ? "2001-01-01" : c.anchor);
  if (c.interval === "weekly") return day.dayOfWeek === anchor.dayOfWeek;
  const isMonth = (day.month - anchor.month) % MONTHS[c.interval] === 0;
  const isLastOfShortMonth = day.day === day.daysInMonth && anchor.day > day.day;
  return isMonth && (day.day === anchor.day || isLastOfShortMonth);
}

/** The next day, or the one before, on which a period begins. */
function walk(from: Temporal.PlainDate, step: 1 | -1, c: PeriodCase): Temporal.PlainDate {
  let day = from;
  while (!beginsOn(day, c)) day = day.add({ days: step });
  return day;
}

/** The period that contains an instant. */
export function oraclePeriods(c: PeriodCase): Period {
  const today = dayOf(Temporal.Instant.from(c.at), c.timeZone);
  const firstDay = walk(today, -1, c);
  const nextFirstDay = walk(today.add({ days: 1 }), 1, c);
  return {
    from: startOfDay(firstDay, c.timeZone).toString(),
    to: startOfDay(nextFirstDay, c.timeZone).toString(),
    firstDay: firstDay.toString(),
    lastDay: nextFirstDay.subtract({ days: 1 }).toString(),
  };
}
