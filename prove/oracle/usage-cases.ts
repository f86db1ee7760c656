// Arbitrary windows, events, filters and billing periods.

import type { AggregateCase, UsageEvent } from "@tallystick/second-opinion/aggregate";
import { startOfDay } from "@tallystick/second-opinion/days";
import type { FilterCase } from "@tallystick/second-opinion/filter";
import fc from "fast-check";
import type { DayCase } from "./local-days.ts";
import type { PeriodCase } from "./periods.ts";
import { change, decimalText, periodDays } from "./random-numbers.ts";

/** All zones of the runtime, and UTC. */
export const ALL_ZONES: readonly string[] = [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])];

/** Zones far east and west, with odd offsets, with midnights that are skipped or come twice, and with a day that never was. */
const ODD_ZONES = [
  "UTC",
  "Europe/Paris",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Asia/Tokyo",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Australia/Lord_Howe",
];

const zoneIn = (zones: readonly string[]): fc.Arbitrary<string> => {
  const odd = zones.filter((zone) => ODD_ZONES.includes(zone));
  return fc.oneof(fc.constantFrom(...zones), fc.constantFrom(...(odd.length > 0 ? odd : zones)));
};

const timeZone = zoneIn(ALL_ZONES);

/** Days between 2009 and 2033, often the last ones of a month or those on which a zone did something odd. */
const date: fc.Arbitrary<Temporal.PlainDate> = fc.oneof(
  fc.integer({ min: 0, max: 9000 }).map((days) => Temporal.PlainDate.from("2009-01-01").add({ days })),
  fc
    .record({
      year: fc.integer({ min: 2009, max: 2033 }),
      month: fc.integer({ min: 1, max: 12 }),
      back: fc.nat({ max: 3 }),
    })
    .map(({ year, month, back }) => Temporal.PlainDate.from({ year, month, day: 31 }).subtract({ days: back })),
  fc
    .constantFrom("2024-02-29", "2010-11-07", "2011-12-30", "2018-11-04", "2024-04-26", "2023-10-29")
    .map((text) => Temporal.PlainDate.from(text)),
);

const MICROSECOND = 1000n;
const DAY = 86_400_000_000_000n;

const isoOf = (nanoseconds: bigint): string => Temporal.Instant.fromEpochNanoseconds(nanoseconds).toString();

/** A moment inside a local day of any length. */
const momentOf = (day: Temporal.PlainDate, zone: string, millionths: number): bigint => {
  const start = startOfDay(day, zone).epochNanoseconds;
  const length = startOfDay(day.add({ days: 1 }), zone).epochNanoseconds - start;
  return start + (((length / MICROSECOND) * BigInt(millionths)) / 1_000_000n) * MICROSECOND;
};

const millionths = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999 }));

type Window = Pick<AggregateCase, "from" | "to" | "timeZone" | "firstDay" | "lastDay" | "periodDays">;

/** A whole period, or one that began late, ended early, or gave its last day to the plan that followed. */
const window: fc.Arbitrary<Window> = fc
  .record({
    zone: timeZone,
    firstDay: date,
    period: periodDays,
    share: fc.integer({ min: 1, max: 6 }),
    start: millionths,
    end: fc.constantFrom("whole", "terminated", "upgraded"),
    stop: millionths,
  })
  .map(({ zone, firstDay, period, share, start, end, stop }) => {
    const days = Math.max(1, Math.ceil((period * Math.min(share, 4)) / 4));
    const lastTouched = firstDay.add({ days: days - 1 });
    const from = momentOf(firstDay, zone, start);
    const ended =
      end === "whole"
        ? startOfDay(lastTouched.add({ days: 1 }), zone).epochNanoseconds
        : momentOf(lastTouched, zone, stop);
    return {
      from: isoOf(from),
      to: isoOf(ended < from ? from : ended),
      timeZone: zone,
      firstDay: firstDay.toString(),
      lastDay: (end === "upgraded" ? lastTouched.subtract({ days: 1 }) : lastTouched).toString(),
      periodDays: period,
    };
  });

/** Instants at the edges of the window and of its days, a microsecond beside them, or anywhere around. */
function instantAround(w: Window): fc.Arbitrary<string> {
  const from = Temporal.Instant.from(w.from).epochNanoseconds;
  const to = Temporal.Instant.from(w.to).epochNanoseconds;
  const firstDay = Temporal.PlainDate.from(w.firstDay);
  const dayStarts = [0, 1, 2, 5].map((days) => startOfDay(firstDay.add({ days }), w.timeZone).epochNanoseconds);
  const edge = fc
    .tuple(fc.constantFrom(from, to, ...dayStarts), fc.constantFrom(-MICROSECOND, 0n, 0n, MICROSECOND))
    .map(([mark, step]) => mark + step);
  const anywhere = fc
    .bigInt({ min: (from - 40n * DAY) / MICROSECOND, max: (to + DAY) / MICROSECOND })
    .map((microseconds) => microseconds * MICROSECOND);
  const inside = fc
    .bigInt({ min: from / MICROSECOND, max: to / MICROSECOND })
    .map((microseconds) => microseconds * MICROSECOND);
  return fc.oneof(edge, inside, anywhere).map(isoOf);
}

const text = fc.constantFrom(
  ...[
    "1e3",
    "12,5",
    "+4",
    " 7",
    "7 ",
    "5\n",
    "abc",
    "",
    "-",
    ".5",
    "5.",
    "--1",
    "0x10",
    "NaN",
    "Infinity",
    "１２",
    "1_000",
  ],
);

const numeric = fc.oneof(change.map(decimalText), fc.constantFrom("0", "-0", "007", "1.0", "-2", "5", "7.5", "12.50"));

/** Few different ones, so that they come, go and come back. */
const uniqueText = fc.constantFrom("a", "b", "c", "A", "1", "1.0", "not a number");

const valuesOf = (type: AggregateCase["type"]): fc.Arbitrary<string | undefined> => {
  if (type === "unique_count") return fc.oneof({ weight: 9, arbitrary: uniqueText }, fc.constant(undefined));
  return fc.oneof({ weight: 8, arbitrary: numeric }, { weight: 1, arbitrary: text }, fc.constant(undefined));
};

const eventsIn = (w: Window, type: AggregateCase["type"]): fc.Arbitrary<UsageEvent[]> => {
  const event = fc.record({
    at: instantAround(w),
    value: valuesOf(type),
    operation: fc.constantFrom<("add" | "remove" | undefined)[]>("add", "remove", undefined),
  });
  return fc.array(event, { maxLength: 12 }).chain((events) =>
    fc
      .shuffledSubarray(
        events.map((_, index) => index + 1),
        { minLength: events.length },
      )
      .map((positions) =>
        events.map(({ at, value, operation }, index) => ({
          at,
          position: positions[index] ?? 0,
          ...(value === undefined ? {} : { value }),
          ...(operation === undefined || type !== "unique_count" ? {} : { operation }),
        })),
      ),
  );
};

/** Events of one kind of metric in and around a window. */
export const aggregateCaseOf = (kind: Pick<AggregateCase, "type" | "recurring">): fc.Arbitrary<AggregateCase> =>
  window.chain((w) => eventsIn(w, kind.type).map((events) => ({ ...kind, ...w, events })));

const KEYS = ["region", "tier", "cloud"];
const VALUES = ["us", "eu", "gold", "1"];

/** A metric's keys, filters over some of them with overlaps and repeats, and an event that fits some, or none. */
export const filterCase: fc.Arbitrary<FilterCase> = fc
  .subarray(KEYS, { minLength: 1 })
  .chain((keys) =>
    fc.tuple(...keys.map((key) => fc.subarray(VALUES, { minLength: 1 }).map((values) => ({ key, values })))),
  )
  .chain((metricFilters) => {
    const lists = metricFilters.map(({ key, values }) =>
      fc
        .oneof(
          { weight: 3, arbitrary: fc.subarray(values, { minLength: 1 }) },
          fc.constant<string[]>(["__ALL_FILTER_VALUES__"]),
        )
        .map((list) => [key, list] as const),
    );
    const filter = fc
      .tuple(
        fc.subarray(lists, { minLength: 1 }).chain((chosen) => fc.tuple(...chosen)),
        fc.nat({ max: 9 }),
      )
      .map(([entries, stray]) => ({
        values: Object.fromEntries(stray === 0 ? [...entries, ["unknown", ["us"]]] : entries),
      }));
    return fc.record({
      metricFilters: fc.constant(metricFilters),
      chargeFilters: fc.array(filter, { maxLength: 6 }),
      properties: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES, "mars", ""), {
        noNullPrototype: true,
      }),
    });
  });

export const periodCase: fc.Arbitrary<PeriodCase> = fc
  .record({
    interval: fc.constantFrom("weekly", "monthly", "quarterly", "semiannual", "yearly"),
    billingTime: fc.constantFrom("calendar", "anniversary"),
    anchor: date,
    zone: timeZone,
    later: fc.nat({ max: 1500 }),
    moment: fc.oneof(fc.constant(0), fc.constant(-1), fc.integer({ min: 1, max: 999_999 })),
  })
  .map(({ interval, billingTime, anchor, zone, later, moment }) => {
    const day = anchor.add({ days: later + 1 });
    const at = moment < 0 ? momentOf(day, zone, 0) - MICROSECOND : momentOf(day, zone, moment);
    return { interval, billingTime, anchor: anchor.toString(), timeZone: zone, at: isoOf(at) };
  });

const HALF_HOUR = 1_800_000_000_000;

/** Any local day, or one on which the zone changes its offset, and an instant near its start or near that change. */
export const dayCaseIn = (...zones: readonly string[]): fc.Arbitrary<DayCase> =>
  fc
    .record({
      zone: zoneIn(zones),
      day: date,
      isAtChange: fc.boolean(),
      later: fc.constantFrom(-2 * HALF_HOUR, -HALF_HOUR, -1, 0, 1, HALF_HOUR, 2 * HALF_HOUR - 1, 2 * HALF_HOUR),
    })
    .map(({ zone, day, isAtChange, later }) => {
      const start = startOfDay(day, zone).toZonedDateTimeISO(zone);
      const change = isAtChange ? start.getTimeZoneTransition("next") : null;
      const near = change ?? start;
      const at = near.toInstant().add({ nanoseconds: later });
      return { timeZone: zone, day: near.toPlainDate().toString(), at: at.toString() };
    });
