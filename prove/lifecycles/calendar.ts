/** The model's calendar: days and periods of the oracle, as texts. Instants are whole seconds of UTC, so the order of texts is that of time. */
import { dayOf, startOfDay } from "@tallystick/second-opinion/days";
import { oraclePeriods, type Period, type PeriodCase } from "../oracle/periods.ts";

/** "2024-01-31T23:00:00Z" */
export type Instant = string;
/** "2024-01-31" */
export type Day = string;

export type Schedule = Omit<PeriodCase, "at">;

/** The same few zones, days and schedules are asked for over and over. */
const known = new Map<string, unknown>();

function once<Value>(key: string, find: () => Value): Value {
  if (!known.has(key)) known.set(key, find());
  return known.get(key) as Value;
}

export const dayAt = (at: Instant, zone: string): Day =>
  once(`day ${at} ${zone}`, () => dayOf(Temporal.Instant.from(at), zone).toString());

export const midnight = (day: Day, zone: string): Instant =>
  once(`midnight ${day} ${zone}`, () => startOfDay(Temporal.PlainDate.from(day), zone).toString());

export const addDays = (day: Day, days: number): Day => Temporal.PlainDate.from(day).add({ days }).toString();

/** Both included; none if the last is before the first. */
export const countDays = (first: Day, last: Day): number =>
  Math.max(0, Temporal.PlainDate.from(first).until(last, { largestUnit: "days" }).days + 1);

export const addSeconds = (at: Instant, seconds: number): Instant =>
  Temporal.Instant.from(at).add({ seconds }).toString();

/** The same local time some days later. */
export const addLocalDays = (at: Instant, days: number, zone: string): Instant =>
  Temporal.Instant.from(at).toZonedDateTimeISO(zone).add({ days }).toInstant().toString();

export const addLocalMonths = (at: Instant, months: number, zone: string): Instant =>
  Temporal.Instant.from(at).toZonedDateTimeISO(zone).add({ months }).toInstant().toString();

/** The full period that holds an instant. */
export const periodHolding = (schedule: Schedule, at: Instant): Period =>
  once(`period ${JSON.stringify(schedule)} ${at}`, () => oraclePeriods({ ...schedule, at }));

/** The one whose days come after those of another: it begins at the very instant where that ends. */
export const periodAfter = (schedule: Schedule, previous: Period): Period => ({
  ...periodHolding(schedule, midnight(addDays(previous.lastDay, 1), schedule.timeZone)),
  from: previous.to,
});

export const laterOf = (one: string, other: string): string => (one < other ? other : one);
export const earlierOf = (one: string, other: string): string => (one < other ? one : other);
