import fc from "fast-check";
import { expect, it, test } from "vitest";
import { decimal } from "../money/index.ts";
import { countDays, dayOf, periodAt, periodDays, trialEnd } from "./index.ts";

const instant = (text: string) => Temporal.Instant.from(text);

it.each([
  ["UTC", "2023-03-05T12:12:00Z", "10", "2023-03-15T12:12:00Z"],
  ["UTC", "2024-01-20T00:00:00Z", "30", "2024-02-19T00:00:00Z"],
  ["UTC", "2024-01-01T00:00:00Z", "10", "2024-01-11T00:00:00Z"],
  ["UTC", "2024-01-01T08:30:15.25Z", "0", "2024-01-01T08:30:15.25Z"],
  ["UTC", "2024-01-01T00:00:00Z", "1.5", "2024-01-02T12:00:00Z"],
  ["UTC", "2024-01-01T00:00:00Z", "0.00001", "2024-01-01T00:00:01Z"],
  // Ten days with one of 23 hours, and with one of 25: the same local time.
  ["America/New_York", "2024-03-05T17:12:00Z", "10", "2024-03-15T16:12:00Z"],
  ["America/New_York", "2024-10-30T16:12:00Z", "10", "2024-11-09T17:12:00Z"],
  ["America/New_York", "2024-03-05T17:12:00Z", "10.25", "2024-03-15T22:12:00Z"],
  // At 00:30 of a day that begins at 01:00.
  ["America/Havana", "2024-03-09T05:30:00Z", "1", "2024-03-10T05:30:00Z"],
  // At 23:30 of a day that ends at 23:00.
  ["America/Nuuk", "2027-03-27T01:30:00Z", "1", "2027-03-28T00:30:00Z"],
])("in %s a trial from %s of %s days ends at %s", (zone, start, days, end) => {
  expect(trialEnd(instant(start), decimal(days), zone).toString()).toBe(end);
});

test("the fee counts from the day of the trial's end: 17 of 31 days after ten days from 5 March", () => {
  const end = trialEnd(instant("2023-03-05T12:12:00Z"), decimal("10"), "UTC");
  const anchor = Temporal.PlainDate.from("2023-03-05");
  const period = periodAt({ interval: "monthly", billingTime: "calendar", anchor, timeZone: "UTC" }, end);
  expect([countDays(dayOf(end, "UTC"), period.lastDay), periodDays(period)]).toEqual([17, 31]);
});

it.each([
  ["America/New_York", "2024-03-06T04:30:00Z", "2024-03-05", "2024-03-15"],
  ["America/New_York", "2024-10-31T04:30:00Z", "2024-10-31", "2024-11-10"],
  ["Asia/Tokyo", "2024-03-05T14:59:59Z", "2024-03-05", "2024-03-15"],
])("in %s ten days from %s, late on %s or early, end on %s and not a day off", (zone, start, first, last) => {
  expect(dayOf(instant(start), zone).toString()).toBe(first);
  expect(dayOf(trialEnd(instant(start), decimal("10"), zone), zone).toString()).toBe(last);
});

test("a trial of whole days ends as many local days later as it has", () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");
  const seconds = fc.integer({ min: 1_700_000_000, max: 2_080_000_000 });
  fc.assert(
    fc.property(zones, seconds, fc.nat(400), (zone, second, days) => {
      const start = Temporal.Instant.fromEpochMilliseconds(second * 1000);
      const end = trialEnd(start, decimal(String(days)), zone);
      return dayOf(end, zone).equals(dayOf(start, zone).add({ days }));
    }),
    { numRuns: 1000 },
  );
});
