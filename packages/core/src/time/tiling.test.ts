import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BILLING_TIMES,
  dayOf,
  INTERVALS,
  monthOf,
  type Period,
  periodAfter,
  periodAt,
  periodDays,
  periodOn,
  type Schedule,
} from "./index.ts";

const dates = fc
  .record({
    year: fc.integer({ min: 1990, max: 2060 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.constantFrom(1, 2, 15, 28, 29, 30, 31),
  })
  .map((date) => Temporal.PlainDate.from(date));

const schedules: fc.Arbitrary<Schedule> = fc.record({
  interval: fc.constantFrom(...INTERVALS),
  billingTime: fc.constantFrom(...BILLING_TIMES),
  anchor: dates,
  timeZone: fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC"),
});

const instants = fc
  .integer({ min: 600_000_000, max: 3_000_000_000 })
  .map((s) => Temporal.Instant.fromEpochMilliseconds(s * 1000));

const shown = ({ from, to, firstDay, lastDay }: Period) => `${from} to ${to}, ${firstDay} to ${lastDay}`;
const isBefore = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other) < 0;
const shortest = { weekly: 7, monthly: 28, quarterly: 89, semiannual: 180, yearly: 365 };
const longest = { weekly: 7, monthly: 31, quarterly: 92, semiannual: 184, yearly: 366 };

test("every instant lies in the one period that says so, and periods join with no gap or overlap", () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, at) => {
      const period = periodAt(schedule, at);
      expect(isBefore(at, period.from)).toBe(false);
      expect(isBefore(at, period.to)).toBe(true);
      const lastMoment = period.to.subtract({ nanoseconds: 1 });
      expect(shown(periodAt(schedule, period.from))).toBe(shown(period));
      expect(shown(periodAt(schedule, lastMoment))).toBe(shown(period));
      expect(shown(periodOn(schedule, dayOf(at, schedule.timeZone)))).toBe(shown(period));
      const next = periodAt(schedule, period.to);
      expect(next.from.equals(period.to)).toBe(true);
      expect(next.firstDay.equals(period.lastDay.add({ days: 1 }))).toBe(true);
      expect(shown(periodAfter(schedule, period))).toBe(shown(next));
      expect(periodDays(period)).toBeGreaterThanOrEqual(shortest[schedule.interval]);
      expect(periodDays(period)).toBeLessThanOrEqual(longest[schedule.interval]);
    }),
    { numRuns: 1000 },
  );
});

test("an anniversary begins on the day of its anchor, or on the last day of a month that has none", () => {
  fc.assert(
    fc.property(schedules, dates, (schedule, day) => {
      const { anchor } = schedule;
      const { firstDay } = periodOn({ ...schedule, billingTime: "anniversary" }, day);
      if (schedule.interval === "weekly") expect(firstDay.dayOfWeek).toBe(anchor.dayOfWeek);
      else expect(firstDay.day).toBe(Math.min(anchor.day, firstDay.daysInMonth));
    }),
    { numRuns: 1000 },
  );
});

test("the months of a year or half-year lie inside it, whatever its anchor", () => {
  fc.assert(
    fc.property(schedules, fc.constantFrom("yearly" as const, "semiannual" as const), instants, (any, interval, at) => {
      const schedule = { ...any, interval };
      const [whole, month] = [periodAt(schedule, at), monthOf(schedule, at)];
      expect(isBefore(month.from, whole.from) || isBefore(whole.to, month.to)).toBe(false);
      expect(isBefore(at, month.from) || !isBefore(at, month.to)).toBe(false);
      expect(periodDays(month)).toBeLessThanOrEqual(31);
    }),
    { numRuns: 1000 },
  );
});
