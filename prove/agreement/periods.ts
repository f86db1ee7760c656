/** Local days and billing periods, in every zone. */
import * as core from "@tallystick/core/time";
import { dayNumber } from "@tallystick/second-opinion/days";
import { cases } from "../oracle/cases.ts";
import { oracleLocalDay, oraclePeriods } from "../oracle/index.ts";
import type { DayCase, LocalDay } from "../oracle/local-days.ts";
import type { Period, PeriodCase } from "../oracle/periods.ts";
import { type Comparison, comparison } from "./comparison.ts";

/** What is checked of the stage. */
type Time = Pick<
  typeof core,
  "startOfDay" | "dayOf" | "periodAt" | "periodOn" | "periodAfter" | "periodDays" | "monthOf"
>;

export const PERIOD_COMPARISONS: readonly Comparison[] = [
  comparison("local day", cases.localDay, localDayBy(core), oracleLocalDay),
  comparison("period", cases.period, periodsBy(core), periodsByOracle),
];

function localDayBy({ startOfDay, dayOf }: Time) {
  return ({ timeZone, day, at }: DayCase): LocalDay => {
    const date = Temporal.PlainDate.from(day);
    return {
      from: startOfDay(date, timeZone).toString(),
      to: startOfDay(date.add({ days: 1 }), timeZone).toString(),
      dayAtInstant: dayOf(Temporal.Instant.from(at), timeZone).toString(),
    };
  };
}

/** The period of an instant, by every way that leads to it, the one after it, its days, and its month where it has several. */
type Periods = {
  readonly atInstant: Period;
  readonly atLastMoment: Period;
  readonly onLastDay: Period;
  readonly next: Period;
  readonly days: number;
  readonly month: Period | null;
};

const hasMonths = ({ interval }: PeriodCase): boolean => interval === "semiannual" || interval === "yearly";

function periodsBy(time: Time) {
  return (given: PeriodCase): Periods => {
    const { interval, billingTime, timeZone } = given;
    const schedule = { interval, billingTime, timeZone, anchor: Temporal.PlainDate.from(given.anchor) };
    const at = Temporal.Instant.from(given.at);
    const period = time.periodAt(schedule, at);
    return {
      atInstant: textOf(period),
      atLastMoment: textOf(time.periodAt(schedule, period.to.subtract({ nanoseconds: 1 }))),
      onLastDay: textOf(time.periodOn(schedule, period.lastDay)),
      next: textOf(time.periodAfter(schedule, period)),
      days: time.periodDays(period),
      month: hasMonths(given) ? textOf(time.monthOf(schedule, at)) : null,
    };
  };
}

const textOf = ({ from, to, firstDay, lastDay }: core.Period): Period => ({
  from: from.toString(),
  to: to.toString(),
  firstDay: firstDay.toString(),
  lastDay: lastDay.toString(),
});

function periodsByOracle(given: PeriodCase): Periods {
  const period = oraclePeriods(given);
  const numberOf = (day: string): number => dayNumber(Temporal.PlainDate.from(day));
  return {
    atInstant: period,
    atLastMoment: period,
    onLastDay: period,
    next: oraclePeriods({ ...given, at: period.to }),
    days: numberOf(period.lastDay) - numberOf(period.firstDay) + 1,
    month: hasMonths(given) ? oraclePeriods({ ...given, interval: "monthly" }) : null,
  };
}

const STEPS = {
  weekly: { weeks: 1 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  semiannual: { months: 6 },
  yearly: { years: 1 },
};

/** 31 January decays to the 28th and stays there. */
function driftingPeriod(schedule: core.Schedule, instant: Temporal.Instant): core.Period {
  const { interval, anchor, timeZone } = schedule;
  const day = core.dayOf(instant, timeZone);
  if (schedule.billingTime === "calendar" || Temporal.PlainDate.compare(day, anchor) < 0)
    return core.periodOn(schedule, day);
  let [firstDay, next] = [anchor, anchor.add(STEPS[interval])];
  while (Temporal.PlainDate.compare(next, day) <= 0) [firstDay, next] = [next, next.add(STEPS[interval])];
  const [from, to] = [core.startOfDay(firstDay, timeZone), core.startOfDay(next, timeZone)];
  return { from, to, firstDay, lastDay: next.subtract({ days: 1 }) };
}

const secondMidnight: Time["startOfDay"] = (day, timeZone) =>
  day.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: "later" }).toInstant();

const inPeriods = (name: string, mistake: Partial<Time>): Comparison =>
  comparison(name, cases.period, periodsBy({ ...core, ...mistake }), periodsByOracle);

/** Only where clocks go back over midnight is the date on the wall another one than the day that has begun last. */
const inDays = (name: string, timeZone: string, mistake: Partial<Time>): Comparison =>
  comparison(name, cases.localDayIn(timeZone), localDayBy({ ...core, ...mistake }), oracleLocalDay);

/** The usual mistakes, each of which must be found. */
export const NAIVE_PERIODS: readonly Comparison[] = [
  inDays("the second of two midnights begins the day", "America/Havana", { startOfDay: secondMidnight }),
  inDays("the day is that of UTC", "Asia/Tokyo", { dayOf: (at) => core.dayOf(at, "UTC") }),
  inDays("the day is the date on the wall", "America/St_Johns", {
    dayOf: (at, zone) => at.toZonedDateTimeISO(zone).toPlainDate(),
  }),
  inPeriods("each anniversary is counted from the one before", { periodAt: driftingPeriod }),
  inPeriods("the last day is not counted", { periodDays: (period) => core.periodDays(period) - 1 }),
  inPeriods("days are hours", { periodDays: ({ from, to }) => from.until(to).total("hours") / 24 }),
  inPeriods("a period leaves a gap of a second", {
    periodAfter: (...previous) => {
      const period = core.periodAfter(...previous);
      return { ...period, from: period.from.add({ seconds: 1 }) };
    },
  }),
  inPeriods("months are those of the calendar", {
    monthOf: (schedule, at) => core.monthOf({ ...schedule, billingTime: "calendar" }, at),
  }),
];
