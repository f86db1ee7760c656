/** Periods as they are often written, wrong on purpose: the check must find this out, or it is blind. */
import * as time from "../../packages/core/src/time/index.ts";
import type { Time } from "./periods.ts";

const STEPS = {
  weekly: { weeks: 1 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  semiannual: { months: 6 },
  yearly: { years: 1 },
};

/** Each anniversary is counted from the one before, so that 31 January decays to the 28th forever. */
function periodOn(schedule: time.Schedule, day: Temporal.PlainDate): time.Period {
  if (schedule.billingTime === "calendar" || Temporal.PlainDate.compare(day, schedule.anchor) < 0) {
    return time.periodOn(schedule, day);
  }
  let firstDay = schedule.anchor;
  let next = firstDay.add(STEPS[schedule.interval]);
  while (Temporal.PlainDate.compare(next, day) <= 0) [firstDay, next] = [next, next.add(STEPS[schedule.interval])];
  return {
    from: time.startOfDay(firstDay, schedule.timeZone),
    to: time.startOfDay(next, schedule.timeZone),
    firstDay,
    lastDay: next.subtract({ days: 1 }),
  };
}

export const naiveTime: Time = {
  ...time,
  periodOn,
  periodAt: (schedule, instant) => periodOn(schedule, time.dayOf(instant, schedule.timeZone)),
};
