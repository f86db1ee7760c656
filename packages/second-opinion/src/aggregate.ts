// From events to units, by definitions that do not depend on the order of processing.

import { dayNumber, dayOf } from "./days.ts";
import {
  atLeastZero,
  ceilingAt,
  isQuantity,
  larger,
  plus,
  type Rational,
  ratio,
  rational,
  sum,
  times,
  whole,
  ZERO,
} from "./rational.ts";

export type UsageEvent = {
  /** ISO, up to microseconds. */
  at: string;
  /** The order of acceptance, which decides between equal instants. */
  position: number;
  /** Canonical text of the property that is aggregated. */
  value?: string;
  operation?: "add" | "remove";
};

export type AggregateCase = {
  type: "count" | "sum" | "max" | "latest" | "unique_count" | "weighted_sum";
  recurring: boolean;
  /** The window, half-open. */
  from: string;
  to: string;
  timeZone: string;
  /** The local days that count, both inclusive. */
  firstDay: string;
  lastDay: string;
  periodDays: number;
  events: UsageEvent[];
  /** Skips units weighed by days, which are slow to compute for many events. */
  isWithoutDays?: boolean;
};

export type Aggregate = {
  units: Rational;
  eventsCount: number;
  prorated: Rational;
  /** The units before a weighted sum is rounded up at 20 decimals; otherwise the units. */
  exactUnits: Rational;
};

type Seen = { at: bigint; day: number; position: number; value: string | undefined; isAdd: boolean };

type Window = { from: bigint; to: bigint; firstDay: number; lastDay: number; periodDays: bigint };

const NANOSECONDS_OF_A_DAY = 86_400_000_000_000n;

const nanoseconds = (instant: string): bigint => Temporal.Instant.from(instant).epochNanoseconds;

const windowOf = (c: AggregateCase): Window => ({
  from: nanoseconds(c.from),
  to: nanoseconds(c.to),
  firstDay: dayNumber(Temporal.PlainDate.from(c.firstDay)),
  lastDay: dayNumber(Temporal.PlainDate.from(c.lastDay)),
  periodDays: BigInt(c.periodDays),
});

/** The events a charge sees: a recurring metric sees all history, a metered one only its window. */
function seenEvents(c: AggregateCase, window: Window): Seen[] {
  const all = c.events.map((event) => ({
    at: nanoseconds(event.at),
    day: dayNumber(dayOf(Temporal.Instant.from(event.at), c.timeZone)),
    position: event.position,
    value: event.value,
    isAdd: event.operation !== "remove",
  }));
  return all.filter(({ at }) => at < window.to && (c.recurring || at >= window.from));
}

const isLater = (a: Seen, b: Seen): boolean => a.at > b.at || (a.at === b.at && a.position > b.position);

/** The latest event. */
const lastOf = (events: readonly Seen[]): Seen | undefined =>
  events.find((event) => !events.some((other) => isLater(other, event)));

const numberOf = ({ value }: Seen): Rational => rational(value ?? "0");

/** A value is in use if its last operation is 'add'. */
const isThere = (events: readonly Seen[]): boolean => lastOf(events)?.isAdd ?? false;

const byValue = (events: readonly Seen[]): Seen[][] =>
  [...new Set(events.map(({ value }) => value))].map((value) => events.filter((event) => event.value === value));

/** How many days of the window satisfy a condition, by checking each day. */
function countDays(window: Window, condition: (day: number) => boolean): Rational {
  let count = 0;
  for (let day = window.firstDay; day <= window.lastDay; day += 1) {
    if (condition(day)) count += 1;
  }
  return whole(count);
}

/** Each value times the days it was in use: from its own local day, or all days if it was there before the window. */
const valueDays = (events: readonly Seen[], window: Window): Rational =>
  sum(
    events.map((event) => {
      const days = countDays(window, (day) => event.at < window.from || event.day <= day);
      return times(numberOf(event), days);
    }),
  );

/** The days on which a value was in use for any moment, including the day of its removal. */
function presentDays(events: readonly Seen[], window: Window): Rational {
  const wasThereAtFirst = isThere(events.filter(({ at }) => at < window.from));
  const inWindow = events.filter(({ at }) => at >= window.from);
  return countDays(window, (day) => {
    const earlier = inWindow.filter((event) => event.day < day);
    const wasThere = earlier.length === 0 ? wasThereAtFirst : isThere(earlier);
    return wasThere || inWindow.some((event) => event.day === day && event.isAdd);
  });
}

/** Each value times the remaining share of the period: the area under the running total. */
const weightedSum = (events: readonly Seen[], window: Window): Rational =>
  sum(
    events.map((event) => {
      const start = event.at < window.from ? window.from : event.at;
      const share = ratio(window.to - start, NANOSECONDS_OF_A_DAY * window.periodDays);
      return times(numberOf(event), share);
    }),
  );

const unrounded = (units: Rational, eventsCount: number, prorated = units): Aggregate => ({
  units,
  eventsCount,
  prorated,
  exactUnits: units,
});

const share5 = (days: Rational, { periodDays }: Window): Rational => ceilingAt(times(days, ratio(1n, periodDays)), 5);

function uniqueCount(c: AggregateCase, events: readonly Seen[], window: Window): Aggregate {
  const groups = byValue(events.filter(({ value }) => value !== undefined));
  const count = groups.filter(isThere).length;
  if (!c.recurring || c.isWithoutDays) return unrounded(whole(count), count);
  const days = sum(groups.map((group) => presentDays(group, window)));
  return unrounded(whole(count), count, share5(days, window));
}

/** The units of a window, the number of events behind them, and the units weighed by days. Negative units stay negative. */
export function oracleAggregate(c: AggregateCase): Aggregate {
  const window = windowOf(c);
  const seen = seenEvents(c, window);
  if (c.type === "count") return unrounded(whole(seen.length), seen.length);
  if (c.type === "unique_count") return uniqueCount(c, seen, window);

  const events = seen.filter(({ value }) => isQuantity(value));
  const values = events.map(numberOf);
  switch (c.type) {
    case "sum": {
      const total = values.reduce(plus, ZERO);
      if (!c.recurring || c.isWithoutDays) return unrounded(total, events.length);
      return unrounded(total, events.length, share5(valueDays(events, window), window));
    }
    case "max":
      return unrounded(values.length === 0 ? ZERO : values.reduce(larger), events.length);
    case "latest": {
      const last = lastOf(events);
      return unrounded(last === undefined ? ZERO : atLeastZero(numberOf(last)), events.length);
    }
    case "weighted_sum": {
      const exactUnits = weightedSum(events, window);
      const units = ceilingAt(exactUnits, 20);
      return { units, eventsCount: events.length, prorated: units, exactUnits };
    }
    default:
      return c.type satisfies never;
  }
}
