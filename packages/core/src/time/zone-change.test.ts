// What happens to the periods of a customer who moves to another zone.

import fc from "fast-check";
import { expect, it, test } from "vitest";
import {
  BILLING_TIMES,
  dayOf,
  INTERVALS,
  type Period,
  periodAfter,
  periodAt,
  periodDays,
  periodOn,
  type Schedule,
  startOfDay,
} from "./index.ts";

const day = (text: string) => Temporal.PlainDate.from(text);
const shown = ({ from, to, firstDay, lastDay }: Period) => `${from} to ${to}, ${firstDay} to ${lastDay}`;

it.each([
  // The new zone's midnight came 13 hours before the old one's.
  ["America/New_York", "Asia/Tokyo", "2024-06-01T04:00:00Z to 2024-06-30T15:00:00Z, 2024-06-01 to 2024-06-30"],
  // It comes 13 hours after it.
  ["Asia/Tokyo", "America/New_York", "2024-05-31T15:00:00Z to 2024-07-01T04:00:00Z, 2024-06-01 to 2024-06-30"],
  // The farthest that two zones lie apart.
  ["Pacific/Kiritimati", "Pacific/Niue", "2024-05-31T10:00:00Z to 2024-07-01T11:00:00Z, 2024-06-01 to 2024-06-30"],
  ["Pacific/Niue", "Pacific/Kiritimati", "2024-06-01T11:00:00Z to 2024-06-30T10:00:00Z, 2024-06-01 to 2024-06-30"],
])("who moves from %s to %s in May has a June of %s", (old, moved, june) => {
  const monthly = { interval: "monthly", billingTime: "calendar", anchor: day("2024-01-15") } as const;
  const may = periodOn({ ...monthly, timeZone: old }, day("2024-05-10"));
  const next = periodAfter({ ...monthly, timeZone: moved }, may);
  expect(shown(next)).toBe(june);
  expect(periodDays(next)).toBe(30);
  const july = periodAfter({ ...monthly, timeZone: moved }, next);
  expect(shown(july)).toBe(shown(periodOn({ ...monthly, timeZone: moved }, day("2024-07-01"))));
});

it.each([
  // 31 January in New York, 1 February in Tokyo.
  [
    "2024-02-01T04:00:00Z",
    "America/New_York",
    "Asia/Tokyo",
    "2024-02-29T05:00:00Z to 2024-03-31T15:00:00Z, 2024-03-01 to 2024-03-31",
  ],
  [
    "2024-02-01T04:00:00Z",
    "Asia/Tokyo",
    "America/New_York",
    "2024-02-29T15:00:00Z to 2024-03-31T04:00:00Z, 2024-02-29 to 2024-03-30",
  ],
  // 28 February in Abidjan, 1 March in Thimphu: a day apart there, four days a month later.
  [
    "2031-02-28T18:00:00Z",
    "Africa/Abidjan",
    "Asia/Thimphu",
    "2031-03-28T00:00:00Z to 2031-04-30T18:00:00Z, 2031-04-01 to 2031-04-30",
  ],
  [
    "2031-02-28T18:00:00Z",
    "Asia/Thimphu",
    "Africa/Abidjan",
    "2031-03-31T18:00:00Z to 2031-04-28T00:00:00Z, 2031-03-28 to 2031-04-27",
  ],
])(
  "an anchor at %s, on another date in the new zone, shifts the period and makes no stub (%s to %s)",
  (at, old, moved, expected) => {
    const schedule = (timeZone: string): Schedule => ({
      interval: "monthly",
      billingTime: "anniversary",
      anchor: dayOf(Temporal.Instant.from(at), timeZone),
      timeZone,
    });
    const first = periodAt(schedule(old), Temporal.Instant.from(at));
    expect(shown(periodAfter(schedule(moved), first))).toBe(expected);
  },
);

const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");
const instants = fc
  .integer({ min: 1_700_000_000, max: 2_080_000_000 })
  .map((s) => Temporal.Instant.fromEpochMilliseconds(s * 1000));
const isAtLeast = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other) >= 0;

test("over any move no instant is lost, doubled or left in a stub, and the period after it is the new zone's own", () => {
  const terms = fc.record({ interval: fc.constantFrom(...INTERVALS), billingTime: fc.constantFrom(...BILLING_TIMES) });
  const moves = fc.record({ old: zones, moved: zones, isAnchorKept: fc.boolean() });
  fc.assert(
    fc.property(terms, instants, moves, (term, at, { old, moved, isAnchorKept }) => {
      const before: Schedule = { ...term, anchor: dayOf(at, old), timeZone: old };
      const after: Schedule = { ...term, anchor: isAnchorKept ? before.anchor : dayOf(at, moved), timeZone: moved };
      const open = periodAt(before, at);
      const next = periodAfter(after, open);
      expect(next.from.equals(open.to)).toBe(true);
      expect(isAtLeast(next.to, next.from.add({ hours: 3 * 24 }))).toBe(true);
      expect(next.to.equals(startOfDay(next.lastDay.add({ days: 1 }), moved))).toBe(true);
      if (isAnchorKept) expect(next.firstDay.equals(open.lastDay.add({ days: 1 }))).toBe(true);
      // From 28 February to 2 March an anchor moves by two days, but 28 March and 2 April are five apart; zones are up to 26 hours.
      expect(Math.abs(open.lastDay.until(next.firstDay).days - 1)).toBeLessThanOrEqual(5);
      expect(Math.abs(next.from.until(next.to).total("hours") / 24 - periodDays(next))).toBeLessThan(5 + 27 / 24);
      const own = periodAt(after, next.to);
      expect(shown(periodAfter(after, next))).toBe(shown(own));
    }),
    { numRuns: 1000 },
  );
});
