import { describe, expect, it, test } from "vitest";
import {
  type BillingTime,
  countDays,
  dayOf,
  type Interval,
  lastSecond,
  monthOf,
  type Period,
  periodAfter,
  periodAt,
  periodDays,
  periodOn,
  type Schedule,
} from "./index.ts";

const day = (text: string) => Temporal.PlainDate.from(text);
const instant = (text: string) => Temporal.Instant.from(text);

/** "monthly anniversary 2024-01-31 Europe/Paris"; in UTC if it names no zone. */
function schedule(text: string): Schedule {
  const [interval, billingTime, anchor = "", timeZone = "UTC"] = text.split(" ");
  return { interval: interval as Interval, billingTime: billingTime as BillingTime, anchor: day(anchor), timeZone };
}

const nominal = ({ firstDay, lastDay }: Period) => `${firstDay} to ${lastDay}`;
const window = ({ from, to }: Period) => `${from} to ${to}`;

function expectPeriods(of: Schedule, boundaries: readonly string[], days: readonly number[]) {
  let period = periodAt(of, instant(boundaries[0] ?? ""));
  for (const [index, expectedDays] of days.entries()) {
    const [from, to] = [instant(boundaries[index] ?? ""), instant(boundaries[index + 1] ?? "")];
    expect(window(period)).toBe(`${from} to ${to}`);
    expect(periodDays(period)).toBe(expectedDays);
    const lastMoment = to.subtract({ nanoseconds: 1 });
    for (const at of [from, lastMoment]) expect(window(periodAt(of, at))).toBe(window(period));
    expect([period.firstDay, period.lastDay].map(String)).toEqual(
      [dayOf(from, of.timeZone), dayOf(lastMoment, of.timeZone)].map(String),
    );
    period = periodAfter(of, period);
  }
}

const midnights = (dates: string) => dates.split(" ").map((date) => `${date}T00:00Z`);

describe("boundaries in UTC", () => {
  it.each<[string, string, number[]]>([
    ["monthly calendar 2024-01-20", "2024-01-01 2024-02-01 2024-03-01 2024-04-01 2024-05-01", [31, 29, 31, 30]],
    ["monthly calendar 2023-04-01", "2023-04-01 2023-05-01 2023-06-01 2023-07-01 2023-08-01", [30, 31, 30, 31]],
    ["weekly calendar 2024-05-15", "2024-05-13 2024-05-20 2024-05-27 2024-06-03 2024-06-10", [7, 7, 7, 7]],
    ["weekly calendar 2024-12-29", "2024-12-23 2024-12-30 2025-01-06 2025-01-13", [7, 7, 7]],
    ["quarterly calendar 2023-12-31", "2023-10-01 2024-01-01 2024-04-01 2024-07-01", [92, 91, 91]],
    ["semiannual calendar 2023-12-31", "2023-07-01 2024-01-01 2024-07-01 2025-01-01", [184, 182, 184]],
    ["yearly calendar 2023-12-31", "2023-01-01 2024-01-01 2025-01-01 2026-01-01", [365, 366, 365]],
    [
      "monthly anniversary 2023-01-31",
      "2023-01-31 2023-02-28 2023-03-31 2023-04-30 2023-05-31 2023-06-30 2023-07-31",
      [28, 31, 30, 31, 30, 31],
    ],
    [
      "monthly anniversary 2022-12-29",
      "2022-12-29 2023-01-29 2023-02-28 2023-03-29 2023-04-29 2023-05-29",
      [31, 30, 29, 31, 30],
    ],
    ["monthly anniversary 2023-12-30", "2023-12-30 2024-01-30 2024-02-29 2024-03-30", [31, 30, 30]],
    ["weekly anniversary 2024-02-24", "2024-02-24 2024-03-02 2024-03-09 2024-03-16", [7, 7, 7]],
    ["weekly anniversary 2024-12-26", "2024-12-26 2025-01-02 2025-01-09 2025-01-16", [7, 7, 7]],
    [
      "quarterly anniversary 2022-08-31",
      "2022-08-31 2022-11-30 2023-02-28 2023-05-31 2023-08-31 2023-11-30 2024-02-29 2024-05-31",
      [91, 90, 92, 92, 91, 91, 92],
    ],
    [
      "semiannual anniversary 2022-08-31",
      "2022-08-31 2023-02-28 2023-08-31 2024-02-29 2024-08-31",
      [181, 184, 182, 184],
    ],
    ["yearly anniversary 2023-06-29", "2023-06-29 2024-06-29 2025-06-29 2026-06-29", [366, 365, 365]],
    [
      "yearly anniversary 2024-02-29",
      "2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29 2029-02-28",
      [365, 365, 365, 366, 365],
    ],
  ])("%s: %s", (terms, boundaries, days) => {
    expectPeriods(schedule(terms), midnights(boundaries), days);
  });

  test("fourteen months that were missed are fourteen periods, each once", () => {
    const dates =
      "2023-11-01 2023-12-01 2024-01-01 2024-02-01 2024-03-01 2024-04-01 2024-05-01 2024-06-01 " +
      "2024-07-01 2024-08-01 2024-09-01 2024-10-01 2024-11-01 2024-12-01 2025-01-01";
    const days = [30, 31, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    expectPeriods(schedule("monthly calendar 2023-11-15"), midnights(dates), days);
  });
});

describe("boundaries where the customer lives", () => {
  it.each<[string, string, number[]]>([
    [
      "monthly calendar 2024-02-10 America/New_York",
      "2024-02-01T05:00Z 2024-03-01T05:00Z 2024-04-01T04:00Z 2024-05-01T04:00Z 2024-06-01T04:00Z",
      [29, 31, 30, 31],
    ],
    // 30 days and an hour long, still 30 days.
    ["monthly calendar 2024-05-01 America/New_York", "2024-11-01T04:00Z 2024-12-01T05:00Z", [30]],
    [
      "weekly calendar 2024-03-07 America/New_York",
      "2024-03-04T05:00Z 2024-03-11T04:00Z 2024-03-18T04:00Z 2024-03-25T04:00Z",
      [7, 7, 7],
    ],
    ["monthly calendar 2024-01-01 America/Los_Angeles", "2024-01-01T08:00Z 2024-02-01T08:00Z", [31]],
    [
      "monthly calendar 2024-02-01 Asia/Kolkata",
      "2024-01-31T18:30Z 2024-02-29T18:30Z 2024-03-31T18:30Z 2024-04-30T18:30Z 2024-05-31T18:30Z",
      [29, 31, 30, 31],
    ],
    [
      "monthly calendar 2024-04-01 Pacific/Auckland",
      "2024-03-31T11:00Z 2024-04-30T12:00Z 2024-05-31T12:00Z 2024-06-30T12:00Z",
      [30, 31, 30],
    ],
    [
      "weekly calendar 2024-09-25 Pacific/Auckland",
      "2024-09-22T12:00Z 2024-09-29T11:00Z 2024-10-06T11:00Z 2024-10-13T11:00Z",
      [7, 7, 7],
    ],
    [
      "monthly anniversary 2024-02-10 America/Havana",
      "2024-02-10T05:00Z 2024-03-10T05:00Z 2024-04-10T04:00Z 2024-05-10T04:00Z",
      [29, 31, 30],
    ],
    // The first of two midnights.
    ["monthly calendar 2026-10-01 America/Havana", "2026-10-01T04:00Z 2026-11-01T04:00Z 2026-12-01T05:00Z", [31, 30]],
    [
      "monthly calendar 2024-10-01 Africa/Cairo",
      "2024-09-30T21:00Z 2024-10-31T22:00Z 2024-11-30T22:00Z 2024-12-31T22:00Z",
      [31, 30, 31],
    ],
    ["monthly calendar 2024-03-01 Asia/Tokyo", "2024-02-29T15:00Z 2024-03-31T15:00Z 2024-04-30T15:00Z", [31, 30]],
    [
      "monthly calendar 2024-02-01 Pacific/Kiritimati",
      "2024-01-31T10:00Z 2024-02-29T10:00Z 2024-03-31T10:00Z 2024-04-30T10:00Z",
      [29, 31, 30],
    ],
  ])("%s: %s", (terms, boundaries, days) => {
    expectPeriods(schedule(terms), boundaries.split(" "), days);
  });

  it.each([
    ["America/New_York", 1717214399, "2024-05-01", "2024-06-01T03:59:59Z"],
    ["America/New_York", 1717214400, "2024-06-01", "2024-07-01T03:59:59Z"],
    ["Africa/Cairo", 1730411999, "2024-10-01", "2024-10-31T21:59:59Z"],
    ["Africa/Cairo", 1730412000, "2024-11-01", "2024-11-30T21:59:59Z"],
  ])("in %s second %i lies in the month of %s, shown to end at %s", (zone, second, firstDay, shownEnd) => {
    const period = periodAt(
      schedule(`monthly calendar 2024-01-01 ${zone}`),
      Temporal.Instant.fromEpochMilliseconds(second * 1000),
    );
    expect(period.firstDay.toString()).toBe(firstDay);
    expect(lastSecond(period.to).toString()).toBe(shownEnd);
  });
});

describe("a subscription that begins inside a period", () => {
  it.each<[string, string, [days: number, of: number]]>([
    ["monthly calendar 2024-01-20", "2024-01-20", [12, 31]],
    ["weekly calendar 2024-05-15", "2024-05-15", [5, 7]],
    ["weekly calendar 2024-12-29", "2024-12-29", [1, 7]],
    ["quarterly calendar 2023-12-31", "2023-12-31", [1, 92]],
    ["yearly calendar 2023-12-31", "2023-12-31", [1, 365]],
    ["yearly calendar 2023-11-15", "2023-11-15", [47, 365]],
    ["monthly calendar 2023-02-15", "2023-02-15", [14, 28]],
    ["monthly calendar 2023-01-08", "2023-01-08", [24, 31]],
    ["monthly calendar 2024-02-28", "2024-02-28", [2, 29]],
    // A plan changed to yearly, on the anniversary of the first subscription.
    ["yearly anniversary 2023-06-29", "2023-09-28", [275, 366]],
    ["monthly anniversary 2023-06-29", "2023-09-28", [1, 31]],
    ["yearly anniversary 2023-07-19", "2023-11-19", [243, 366]],
  ])("%s: from %s on it has %j of its days", (terms, start, expected) => {
    const period = periodOn(schedule(terms), day(start));
    expect([countDays(day(start), period.lastDay), periodDays(period)]).toEqual(expected);
  });

  test("a quarter keeps its 91 days, not the 42 from the start to its end", () => {
    const period = periodOn(schedule("quarterly calendar 2024-05-20"), day("2024-05-20"));
    expect(nominal(period)).toBe("2024-04-01 to 2024-06-30");
    expect(periodDays(period)).toBe(91);
    expect(countDays(day("2024-05-20"), period.lastDay)).toBe(42);
    expect(countDays(day("2024-05-20"), day("2024-06-20"))).toBe(32);
  });

  test("the day it is ended on and the days after it are the period, none twice and none missing", () => {
    const { firstDay, lastDay, ...period } = periodOn(schedule("monthly calendar 2024-01-01"), day("2024-01-15"));
    for (let end = firstDay; !end.equals(lastDay); end = end.add({ days: 1 })) {
      const used = countDays(firstDay, end);
      const unused = countDays(end.add({ days: 1 }), lastDay);
      expect(used + unused).toBe(periodDays({ ...period, firstDay, lastDay }));
    }
  });
});

test("a start at 12:12 has its periods from midnight to midnight of the 19th", () => {
  const anniversary = schedule("monthly anniversary 2023-07-19");
  const first = periodAt(anniversary, instant("2023-07-19T12:12:00Z"));
  expect([first.from, lastSecond(first.to)].map(String)).toEqual(["2023-07-19T00:00:00Z", "2023-08-18T23:59:59Z"]);
  const next = periodAfter(anniversary, first);
  expect([next.from, lastSecond(next.to)].map(String)).toEqual(["2023-08-19T00:00:00Z", "2023-09-18T23:59:59Z"]);
});

test("the last moment of a period is in it, and the very next one in the period that follows", () => {
  const monthly = schedule("monthly anniversary 2024-01-31 Europe/Paris");
  const boundary = instant("2024-02-28T23:00:00Z");
  expect(nominal(periodAt(monthly, boundary.subtract({ nanoseconds: 1 })))).toBe("2024-01-31 to 2024-02-28");
  expect(nominal(periodAt(monthly, boundary))).toBe("2024-02-29 to 2024-03-30");
  expect(nominal(periodAt(monthly, boundary.add({ seconds: 30 })))).toBe("2024-02-29 to 2024-03-30");
});

test("east of UTC a boundary is the local midnight, when the date in UTC is still the day before", () => {
  const tokyo = schedule("monthly calendar 2024-01-01 Asia/Tokyo");
  expect(nominal(periodAt(tokyo, instant("2024-01-31T15:00:00Z")))).toBe("2024-02-01 to 2024-02-29");
  expect(nominal(periodAt(tokyo, instant("2024-02-01T00:00:00Z")))).toBe("2024-02-01 to 2024-02-29");
});

test("periods reach back before the anchor", () => {
  const monthly = schedule("monthly anniversary 2024-03-31");
  expect(nominal(periodOn(monthly, day("2024-03-30")))).toBe("2024-02-29 to 2024-03-30");
  expect(nominal(periodOn(schedule("yearly anniversary 2024-02-29"), day("2020-02-29")))).toBe(
    "2020-02-29 to 2021-02-27",
  );
  expect(nominal(periodOn(schedule("weekly calendar 2024-03-31"), day("1999-12-31")))).toBe("1999-12-27 to 2000-01-02");
});

test("a day that the zone skipped still counts: December 2011 in Apia has 31", () => {
  const apia = schedule("monthly calendar 2011-01-01 Pacific/Apia");
  expect(periodDays(periodOn(apia, day("2011-12-15")))).toBe(31);
});

describe("months of a plan that is billed yearly", () => {
  const months = (of: Schedule) => {
    const year = periodOn(of, of.anchor);
    const found = [monthOf(of, year.from)];
    while (found.length < (of.interval === "yearly" ? 12 : 6)) found.push(monthOf(of, found.at(-1)?.to ?? year.to));
    return { year, found };
  };

  it.each<[string, string]>([
    ["yearly calendar 2023-11-15", "01 01 01 01 01 01 01 01 01 01 01 01"],
    ["yearly anniversary 2023-01-31", "31 28 31 30 31 30 31 31 30 31 30 31"],
    ["yearly anniversary 2024-02-29", "29 29 29 29 29 29 29 29 29 29 29 29"],
    ["semiannual anniversary 2023-08-31", "31 30 31 30 31 31"],
    ["semiannual calendar 2023-08-31", "01 01 01 01 01 01"],
  ])("%s begin on %s", (terms, days) => {
    const { year, found } = months(schedule(`${terms} America/Havana`));
    expect(found.map(({ firstDay }) => firstDay.toString().slice(-2)).join(" ")).toBe(days);
    expect(found.map(({ from }) => from).map(String)).toEqual(
      [year.from, ...found.map(({ to }) => to)].slice(0, -1).map(String),
    );
    expect(found.at(-1)?.to.toString()).toBe(year.to.toString());
    expect(found.at(-1)?.lastDay.toString()).toBe(year.lastDay.toString());
    expect(found.reduce((sum, month) => sum + periodDays(month), 0)).toBe(periodDays(year));
  });

  test("an event of the last second of December is December's", () => {
    const yearly = schedule("yearly calendar 2023-11-15");
    expect(nominal(monthOf(yearly, instant("2023-11-20T00:00:00Z")))).toBe("2023-11-01 to 2023-11-30");
    expect(nominal(monthOf(yearly, instant("2023-12-31T23:59:59Z")))).toBe("2023-12-01 to 2023-12-31");
    expect(nominal(monthOf(yearly, instant("2024-01-01T00:00:00Z")))).toBe("2024-01-01 to 2024-01-31");
  });
});
