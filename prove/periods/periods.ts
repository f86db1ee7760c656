/**
 * Checks days and periods of whole zones against a second computation of another kind: days by stepping, their first
 * instants by what Intl shows, and a period from each day on which the rule says that one begins to the next such day.
 */
import { setImmediate as letOthersRun } from "node:timers/promises";
import * as core from "../../packages/core/src/time/index.ts";
import { beginsOn, isoDate, listDays, type PlainDay, readDay, type Terms } from "./calendar.ts";
import { type ZoneDays, zoneDays } from "./zone-days.ts";

/** What is checked of the stage. */
export type Time = Pick<
  typeof core,
  "startOfDay" | "dayOf" | "periodAt" | "periodOn" | "periodAfter" | "periodDays" | "monthOf"
>;

export type CheckOptions = {
  zones: readonly string[];
  fromYear: number;
  toYear: number;
  say: (line: string) => void;
  signal?: AbortSignal;
  /** Something else than core's own, to see that the check finds what is wrong with it. */
  time?: Time;
};

/**
 * Quarters and half-years from August meet February, where the 29th to 31st are missing; those from January meet months of 30 days.
 * Years meet February by the last one.
 */
const ANCHORS = "2023-08-01 2023-08-28 2023-08-29 2023-08-30 2023-08-31 2024-01-31 2024-02-29".split(" ").map(readDay);

const SAY_EVERY_ZONES = 20;

/** Counts the periods that were checked, and tells what is wrong: at most one fault for the days of a zone and for each schedule. */
export async function checkPeriods(options: CheckOptions): Promise<{ periods: number; faults: string[] }> {
  const { zones, fromYear, toYear, say, signal, time = core } = options;
  const days = listDays(fromYear - 2, toYear + 2);
  const isInside = ({ year }: PlainDay) => year >= fromYear && year <= toYear;
  const plans = allTerms().map((terms) => ({ terms, expected: listPeriods(terms, days, isInside) }));
  const faults: string[] = [];
  let periods = 0;
  for (const [index, timeZone] of zones.entries()) {
    const zone = openZone(timeZone, days, time);
    noteFault(faults, `${timeZone} days`, () => checkDays(zone, days.filter(isInside)));
    for (const { terms, expected } of plans) {
      signal?.throwIfAborted();
      await letOthersRun();
      const name = `${timeZone} ${terms.interval} ${terms.billingTime} ${isoDate(terms.anchor)}`;
      noteFault(faults, name, () => checkSchedule(zone, terms, expected));
      periods += expected.length;
    }
    if ((index + 1) % SAY_EVERY_ZONES === 0 || index + 1 === zones.length) {
      say(`${index + 1} of ${zones.length} zones, ${periods} periods, ${faults.length} faults`);
    }
  }
  return { periods, faults };
}

class Fault extends Error {}

function noteFault(faults: string[], name: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.push(`${name}: ${error.message}`);
  }
}

/** A zone as the second computation has it; days by number. */
type Zone = {
  timeZone: string;
  time: Time;
  startOf: (dayNumber: number) => Temporal.Instant;
  changes: ZoneDays["changes"];
};

function openZone(timeZone: string, days: readonly PlainDay[], time: Time): Zone {
  const { starts, changes } = zoneDays(timeZone, days[0]?.number ?? 0, days.at(-1)?.number ?? 0);
  const instants = new Map([...starts].map(([dayNumber, second]) => [dayNumber, instantOf(second)]));
  const startOf = (dayNumber: number) => {
    const start = instants.get(dayNumber);
    if (start === undefined) throw new RangeError(`Day ${dayNumber} was not prepared.`);
    return start;
  };
  return { timeZone, time, startOf, changes };
}

function checkDays({ timeZone, time, startOf, changes }: Zone, days: readonly PlainDay[]): void {
  const dates = new Map(days.map((day) => [day.number, Temporal.PlainDate.from(isoDate(day))]));
  const demandDay = (at: Temporal.Instant, dayNumber: number) => {
    const [found, date] = [time.dayOf(at, timeZone), dates.get(dayNumber)];
    if (date && !found.equals(date)) throw new Fault(`${at} lies on ${found}, expected ${date}`);
  };
  for (const [dayNumber, date] of dates) {
    const [start, next] = [startOf(dayNumber), startOf(dayNumber + 1)];
    const found = time.startOfDay(date, timeZone);
    if (!found.equals(start)) throw new Fault(`${date} begins at ${found}, expected ${start}`);
    // A day that the zone skips holds no instant.
    if (start.equals(next)) continue;
    demandDay(start, dayNumber);
    demandDay(momentBefore(next), dayNumber);
  }
  for (const { at, dayBefore, dayAfter } of changes) {
    demandDay(momentBefore(instantOf(at)), dayBefore);
    demandDay(instantOf(at), dayAfter);
  }
}

function allTerms(): Terms[] {
  return core.INTERVALS.flatMap((interval) => [
    ...ANCHORS.slice(0, 1).map((anchor): Terms => ({ interval, billingTime: "calendar", anchor })),
    ...ANCHORS.map((anchor): Terms => ({ interval, billingTime: "anniversary", anchor })),
  ]);
}

/** Days by number since 1970, and the dates they have. */
type Expected = {
  readonly first: number;
  readonly next: number;
  readonly firstDay: Temporal.PlainDate;
  readonly lastDay: Temporal.PlainDate;
};

/** All periods that begin inside, one after the other. */
function listPeriods(terms: Terms, days: readonly PlainDay[], isInside: (day: PlainDay) => boolean): Expected[] {
  const periods: Expected[] = [];
  let first: PlainDay | undefined;
  let last: PlainDay | undefined;
  for (const day of days) {
    if (beginsOn(terms, day)) {
      if (first && last && isInside(first)) {
        const [firstDay, lastDay] = [Temporal.PlainDate.from(isoDate(first)), Temporal.PlainDate.from(isoDate(last))];
        periods.push({ first: first.number, next: day.number, firstDay, lastDay });
      }
      first = day;
    }
    last = day;
  }
  return periods;
}

function checkSchedule({ timeZone, time, startOf }: Zone, terms: Terms, expected: readonly Expected[]): void {
  const schedule: core.Schedule = { ...terms, anchor: Temporal.PlainDate.from(isoDate(terms.anchor)), timeZone };
  const isOfMonths = terms.interval === "semiannual" || terms.interval === "yearly";
  let previous: core.Period | undefined;
  for (const { first, next, firstDay, lastDay } of expected) {
    const [from, to] = [startOf(first), startOf(next)];
    const last = momentBefore(to);
    const period = { from, to, firstDay, lastDay };
    demandSame("period at its start", time.periodAt(schedule, from), period);
    demandSame("period at its last moment", time.periodAt(schedule, last), period);
    demandSame("period on its last day", time.periodOn(schedule, lastDay), period);
    previous ??= time.periodAt(schedule, momentBefore(from));
    demandSame("period after another", time.periodAfter(schedule, previous), period);
    const days = time.periodDays(period);
    if (days !== next - first) throw new Fault(`${textOf(period)} has ${days} days, expected ${next - first}`);
    if (terms.interval === "monthly") {
      demandSame("month of a year", time.monthOf({ ...schedule, interval: "yearly" }, from), period);
      demandSame("month of a half-year", time.monthOf({ ...schedule, interval: "semiannual" }, last), period);
    }
    if (isOfMonths && !time.monthOf(schedule, from).from.equals(from)) throw new Fault(`${from} begins no month`);
    if (isOfMonths && !time.monthOf(schedule, last).to.equals(to)) throw new Fault(`${to} ends no month`);
    previous = period;
  }
}

function demandSame(what: string, found: core.Period, expected: core.Period): void {
  const isSame =
    found.from.equals(expected.from) &&
    found.to.equals(expected.to) &&
    found.firstDay.equals(expected.firstDay) &&
    found.lastDay.equals(expected.lastDay);
  if (!isSame) throw new Fault(`${what} is ${textOf(found)}, expected ${textOf(expected)}`);
}

const instantOf = (second: number) => Temporal.Instant.fromEpochMilliseconds(second * 1000);

const momentBefore = (instant: Temporal.Instant) => instant.subtract({ nanoseconds: 1 });

const textOf = ({ from, to, firstDay, lastDay }: core.Period) => `[${from}, ${to}) ${firstDay} to ${lastDay}`;
