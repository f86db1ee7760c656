// The short form of the campaign: zones with odd midnights over all years, every fortieth other zone over two.

import { expect, it, test } from "vitest";
import * as core from "../../packages/core/src/time/index.ts";
import { naiveTime } from "../../prove/periods/naive-time.ts";
import { checkPeriods, type Time } from "../../prove/periods/periods.ts";

const ODD_ZONES = [
  "Africa/Cairo",
  "America/Asuncion",
  "America/Coyhaique",
  "America/Havana",
  "America/Santiago",
  "Asia/Beirut",
  "Atlantic/Azores",
];

const say = () => undefined;

it.each(ODD_ZONES)("twelve years of periods tile in %s, where midnights are missing or doubled", async (zone) => {
  const { periods, faults } = await checkPeriods({ zones: [zone], fromYear: 2024, toYear: 2035, say });
  expect(faults).toEqual([]);
  expect(periods).toBe(6834);
});

test("two years of periods tile in zones all over the world", async () => {
  const others = Intl.supportedValuesOf("timeZone").filter((zone) => !ODD_ZONES.includes(zone));
  const zones = ["UTC", ...others.filter((_, index) => index % 40 === 0)];
  const { faults } = await checkPeriods({ zones, fromYear: 2027, toYear: 2028, say });
  expect(faults).toEqual([]);
});

test("a day that a zone skipped, and clocks that went back over midnight, are no exception", async () => {
  const apia = await checkPeriods({ zones: ["Pacific/Apia"], fromYear: 2011, toYear: 2012, say });
  const stJohns = await checkPeriods({ zones: ["America/St_Johns"], fromYear: 2009, toYear: 2011, say });
  expect([...apia.faults, ...stJohns.faults]).toEqual([]);
});

const laterMidnight = (day: Temporal.PlainDate, timeZone: string) =>
  day.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: "later" }).toInstant();

const late = (period: core.Period): core.Period => ({ ...period, from: period.from.add({ seconds: 1 }) });

const mistakes: [mistake: string, zone: string, year: number, made: Partial<Time>][] = [
  ["each anniversary is counted from the one before", "UTC", 2024, naiveTime],
  ["the second of two midnights begins the day", "America/Havana", 2024, { startOfDay: laterMidnight }],
  ["the day is that of UTC", "Asia/Tokyo", 2024, { dayOf: (at) => core.dayOf(at, "UTC") }],
  [
    "the day is the date on the wall",
    "America/St_Johns",
    2010,
    { dayOf: (at, zone) => at.toZonedDateTimeISO(zone).toPlainDate() },
  ],
  ["the last day is not counted", "UTC", 2024, { periodDays: (period) => core.periodDays(period) - 1 }],
  ["days are hours", "Europe/Paris", 2024, { periodDays: ({ from, to }) => from.until(to).total("hours") / 24 }],
  [
    "a period leaves a gap of a second",
    "UTC",
    2024,
    { periodAfter: (...previous) => late(core.periodAfter(...previous)) },
  ],
  [
    "months are those of the calendar",
    "UTC",
    2024,
    { monthOf: (schedule, at) => core.monthOf({ ...schedule, billingTime: "calendar" }, at) },
  ],
];

it.each(mistakes)("the check finds out when %s (%s, %i)", async (_, zone, year, made) => {
  const time = { ...core, ...made };
  const { faults } = await checkPeriods({ zones: [zone], fromYear: year, toYear: year, say, time });
  expect(faults).not.toEqual([]);
});

test("a check that is stopped says so", async () => {
  const stopped = AbortSignal.abort(new Error("stopped"));
  const check = checkPeriods({ zones: ["UTC"], fromYear: 2024, toYear: 2024, say, signal: stopped });
  await expect(check).rejects.toThrow("stopped");
});
