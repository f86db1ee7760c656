// Days from 2024 to 2035 that do not begin at a unique midnight.

import { describe, expect, it, test } from "vitest";
import { dayOf, startOfDay } from "./index.ts";

type OddMidnights = { zone: string; begins: string; days: string };

/** Clocks skip from 00:00 to 01:00: the day begins at 01:00. */
const MISSING: readonly OddMidnights[] = [
  {
    zone: "Africa/Cairo",
    begins: "T01:00+03:00",
    days:
      "2024-04-26 2025-04-25 2026-04-24 2027-04-30 2028-04-28 2029-04-27 " +
      "2030-04-26 2031-04-25 2032-04-30 2033-04-29 2034-04-28 2035-04-27",
  },
  { zone: "America/Asuncion", begins: "T01:00-03:00", days: "2024-10-06" },
  { zone: "America/Coyhaique", begins: "T01:00-03:00", days: "2024-09-08" },
  {
    zone: "America/Havana",
    begins: "T01:00-04:00",
    days:
      "2024-03-10 2025-03-09 2026-03-08 2027-03-14 2028-03-12 2029-03-11 " +
      "2030-03-10 2031-03-09 2032-03-14 2033-03-13 2034-03-12 2035-03-11",
  },
  {
    zone: "America/Santiago",
    begins: "T01:00-03:00",
    days:
      "2024-09-08 2025-09-07 2026-09-06 2027-09-05 2028-09-03 2029-09-02 " +
      "2030-09-08 2031-09-07 2032-09-05 2033-09-04 2034-09-03 2035-09-02",
  },
  {
    zone: "Asia/Beirut",
    begins: "T01:00+03:00",
    days:
      "2024-03-31 2025-03-30 2026-03-29 2027-03-28 2028-03-26 2029-03-25 " +
      "2030-03-31 2031-03-30 2032-03-28 2033-03-27 2034-03-26 2035-03-25",
  },
  {
    zone: "Atlantic/Azores",
    begins: "T01:00+00:00",
    days:
      "2024-03-31 2025-03-30 2026-03-29 2027-03-28 2028-03-26 2029-03-25 " +
      "2030-03-31 2031-03-30 2032-03-28 2033-03-27 2034-03-26 2035-03-25",
  },
];

/** Clocks go back from 01:00 to 00:00: the day begins at the first 00:00. */
const DOUBLED: readonly OddMidnights[] = [
  {
    zone: "America/Havana",
    begins: "T00:00-04:00",
    days:
      "2024-11-03 2025-11-02 2026-11-01 2027-11-07 2028-11-05 2029-11-04 " +
      "2030-11-03 2031-11-02 2032-11-07 2033-11-06 2034-11-05 2035-11-04",
  },
  {
    zone: "Atlantic/Azores",
    begins: "T00:00+00:00",
    days:
      "2024-10-27 2025-10-26 2026-10-25 2027-10-31 2028-10-29 2029-10-28 " +
      "2030-10-27 2031-10-26 2032-10-31 2033-10-30 2034-10-29 2035-10-28",
  },
];

type Row = readonly [zone: string, day: string, begins: string];

const rowsOf = (table: readonly OddMidnights[]): Row[] =>
  table.flatMap(({ zone, begins, days }) => days.split(" ").map((day): Row => [zone, day, `${day}${begins}`]));

const namesOf = (rows: readonly Row[]) => rows.map(([zone, day]) => `${zone} ${day}`).sort();

function expectToBegin([zone, date, begins]: Row) {
  const day = Temporal.PlainDate.from(date);
  const start = Temporal.Instant.from(begins);
  expect(startOfDay(day, zone).toString()).toBe(start.toString());
  expect(dayOf(start, zone).toString()).toBe(date);
  expect(dayOf(start.subtract({ nanoseconds: 1 }), zone).toString()).toBe(day.subtract({ days: 1 }).toString());
}

describe("a day without midnight begins at the first instant after the gap", () => {
  it.each(rowsOf(MISSING))("%s %s", (...row) => expectToBegin(row));
});

describe("a day with two midnights begins at the first, and the second begins nothing", () => {
  it.each(rowsOf(DOUBLED))("%s %s", (...row) => {
    expectToBegin(row);
    const [zone, date, begins] = row;
    const second = Temporal.Instant.from(begins).add({ hours: 1 });
    expect(second.toZonedDateTimeISO(zone).toPlainTime().toString()).toBe("00:00:00");
    expect(dayOf(second, zone).toString()).toBe(date);
    expect(dayOf(second.subtract({ nanoseconds: 1 }), zone).toString()).toBe(date);
  });
});

test("62 missing and 24 doubled midnights in 7 zones are all there are in 2024 to 2035", () => {
  const found = oddMidnights();
  expect(namesOf(rowsOf(MISSING))).toEqual(found.missing.sort());
  expect(namesOf(rowsOf(DOUBLED))).toEqual(found.doubled.sort());
  expect([found.missing.length, found.doubled.length]).toEqual([62, 24]);
  expect(new Set([...found.missing, ...found.doubled].map((name) => name.split(" ")[0])).size).toBe(7);
});

/** Derived from the offset changes of each zone, without the tested function. */
function oddMidnights() {
  const missing: string[] = [];
  const doubled: string[] = [];
  for (const zone of new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])) {
    let change = Temporal.ZonedDateTime.from(`2024-01-01T00:00[${zone}]`).getTimeZoneTransition("next");
    for (; change !== null && change.year <= 2035; change = change.getTimeZoneTransition("next")) {
      const { offsetNanoseconds: before } = change.subtract({ nanoseconds: 1 });
      const after = change.toPlainDateTime();
      const without = after.subtract({ nanoseconds: change.offsetNanoseconds - before });
      const [low, high] = [after, without].sort(Temporal.PlainDateTime.compare) as [typeof after, typeof after];
      const midnight = low.round({ smallestUnit: "day", roundingMode: "ceil" });
      if (Temporal.PlainDateTime.compare(midnight, high) >= 0) continue;
      const name = `${zone} ${midnight.toPlainDate()}`;
      (low === without ? missing : doubled).push(name);
    }
  }
  return { missing, doubled };
}
