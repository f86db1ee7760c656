import fc from "fast-check";
import { expect, it, test } from "vitest";
import { countDays, dayOf, lastSecond, startOfDay } from "./index.ts";

const day = (text: string) => Temporal.PlainDate.from(text);
const instant = (text: string) => Temporal.Instant.from(text);

it.each([
  ["UTC", "2024-05-01", "2024-05-01T00:00:00Z"],
  ["America/New_York", "2024-05-01", "2024-05-01T04:00:00Z"],
  ["America/New_York", "2024-12-01", "2024-12-01T05:00:00Z"],
  ["Asia/Kolkata", "2024-03-01", "2024-02-29T18:30:00Z"],
  ["Pacific/Kiritimati", "2024-02-01", "2024-01-31T10:00:00Z"],
  // Clocks go back from 24:00 to 23:00: midnight comes once, an hour later than the day before let expect.
  ["Africa/Cairo", "2024-11-01", "2024-10-31T22:00:00Z"],
  // 23:30 to 00:30: midnight lies inside the gap.
  ["America/Toronto", "1919-03-31", "1919-03-31T04:30:00Z"],
  // 00:01 back to 23:01 of the day before.
  ["America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z"],
])("in %s %s begins at %s", (zone, date, start) => {
  expect(startOfDay(day(date), zone).toString()).toBe(start);
});

test("a day that the zone skipped begins where the next one does, and no instant lies on it", () => {
  const [skipped, next] = [
    startOfDay(day("2011-12-30"), "Pacific/Apia"),
    startOfDay(day("2011-12-31"), "Pacific/Apia"),
  ];
  expect([skipped, next].map(String)).toEqual(["2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"]);
  expect(dayOf(skipped, "Pacific/Apia").toString()).toBe("2011-12-31");
  expect(dayOf(instant("2011-12-30T09:59:59.999999999Z"), "Pacific/Apia").toString()).toBe("2011-12-29");
});

it.each([
  ["America/St_Johns", "2010-11-07T02:29:59.999Z", "2010-11-06", "23:59:59.999"],
  ["America/St_Johns", "2010-11-07T02:30:00Z", "2010-11-07", "00:00:00"],
  ["America/St_Johns", "2010-11-07T02:31:00Z", "2010-11-07", "23:01:00"],
  ["America/St_Johns", "2010-11-07T03:29:59Z", "2010-11-07", "23:59:59"],
  ["America/St_Johns", "2010-11-07T03:30:00Z", "2010-11-07", "00:00:00"],
  ["America/Havana", "2026-11-01T03:59:59Z", "2026-10-31", "23:59:59"],
  ["America/Havana", "2026-11-01T04:00:00Z", "2026-11-01", "00:00:00"],
  ["America/Havana", "2026-11-01T05:00:00Z", "2026-11-01", "00:00:00"],
  ["Atlantic/Azores", "2026-10-25T00:59:59Z", "2026-10-25", "00:59:59"],
  ["Atlantic/Azores", "2026-10-25T01:00:00Z", "2026-10-25", "00:00:00"],
  ["Africa/Cairo", "2024-10-31T20:59:59Z", "2024-10-31", "23:59:59"],
  ["Africa/Cairo", "2024-10-31T21:00:00Z", "2024-10-31", "23:00:00"],
  ["Africa/Cairo", "2024-10-31T22:00:00Z", "2024-11-01", "00:00:00"],
])("in %s %s lies on %s, with %s on the wall", (zone, at, date, wall) => {
  expect(dayOf(instant(at), zone).toString()).toBe(date);
  expect(instant(at).toZonedDateTimeISO(zone).toPlainTime().toString()).toBe(wall);
});

test("a day holds what lies between its beginning and that of the next, in any zone at any time", () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");
  const seconds = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 });
  fc.assert(
    fc.property(zones, seconds, (zone, second) => {
      const at = Temporal.Instant.fromEpochMilliseconds(second * 1000);
      const date = dayOf(at, zone);
      const isAfterStart = Temporal.Instant.compare(startOfDay(date, zone), at) <= 0;
      return isAfterStart && Temporal.Instant.compare(at, startOfDay(date.add({ days: 1 }), zone)) < 0;
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ["2023-01-08", "2023-01-31", 24],
  ["2023-02-08", "2023-02-28", 21],
  ["2023-02-09", "2023-02-28", 20],
  ["2023-03-15", "2023-03-31", 17],
  ["2024-05-20", "2024-06-20", 32],
  ["2022-09-05", "2022-09-06", 2],
  ["2023-09-28", "2024-06-28", 275],
  ["2023-11-19", "2024-07-18", 243],
  ["2024-02-28", "2024-02-29", 2],
  ["2024-01-15", "2024-01-15", 1],
  ["2024-01-15", "2024-01-14", 0],
  ["2024-01-15", "2023-01-15", 0],
])("from %s to %s there are %i days", (first, last, days) => {
  expect(countDays(day(first), day(last))).toBe(days);
});

test("a window that ends earlier in the day than it began counts both days", () => {
  const first = dayOf(instant("2023-07-19T12:12:00Z"), "UTC");
  const last = dayOf(instant("2023-07-25T09:00:00Z"), "UTC");
  expect(countDays(first, last)).toBe(7);
});

test("days are counted where the customer lives: one evening in Tokyo is another day in London", () => {
  const [start, end] = [instant("2024-02-29T15:00:00Z"), instant("2024-03-31T14:59:59Z")];
  expect(countDays(dayOf(start, "Asia/Tokyo"), dayOf(end, "Asia/Tokyo"))).toBe(31);
  expect(countDays(dayOf(start, "UTC"), dayOf(end, "UTC"))).toBe(32);
});

it.each([
  ["2024-06-01T04:00:00Z", "2024-06-01T03:59:59Z"],
  ["2024-06-01T04:00:00.000001Z", "2024-06-01T04:00:00Z"],
  ["2024-06-01T04:00:00.999999999Z", "2024-06-01T04:00:00Z"],
  ["1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"],
  ["1969-12-31T23:59:59Z", "1969-12-31T23:59:58Z"],
])("a window up to %s is shown to end at %s", (to, shown) => {
  expect(lastSecond(instant(to)).toString()).toBe(shown);
});
