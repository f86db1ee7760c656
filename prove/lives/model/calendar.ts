/** The model's calendar: days and periods of this campaign's own arithmetic, as texts. Instants are whole seconds of UTC, so the order of texts is that of time. */
import { type Interval, instantOf, isoOf, isoOfDay, localDay, numberOfDay, periodOf, startOfDay } from "../days.ts";

/** "2024-01-31T23:00:00Z" */
export type Instant = string;
/** "2024-01-31" */
export type Day = string;

export type Schedule = {
  readonly interval: Interval;
  readonly billingTime: "calendar" | "anniversary";
  /** Local date on which the subscription began. */
  readonly anchor: Day;
  readonly timeZone: string;
};

export type Period = { readonly from: Instant; readonly to: Instant; readonly firstDay: Day; readonly lastDay: Day };

/** The same few zones, days and schedules are asked for over and over. */
const known = new Map<string, unknown>();

function once<Value>(key: string, find: () => Value): Value {
  if (!known.has(key)) known.set(key, find());
  return known.get(key) as Value;
}

export const dayAt = (at: Instant, zone: string): Day =>
  once(`day ${at} ${zone}`, () => isoOfDay(localDay(instantOf(at), zone)));

export const midnight = (day: Day, zone: string): Instant =>
  once(`midnight ${day} ${zone}`, () => isoOf(startOfDay(numberOfDay(day), zone)));

export const addDays = (day: Day, days: number): Day => Temporal.PlainDate.from(day).add({ days }).toString();

/** Both included; none if the last is before the first. */
export const countDays = (first: Day, last: Day): number =>
  Math.max(0, Temporal.PlainDate.from(first).until(last, { largestUnit: "days" }).days + 1);

export const addSeconds = (at: Instant, seconds: number): Instant =>
  Temporal.Instant.from(at).add({ seconds }).toString();

/** The same local time some days later. */
export const addLocalDays = (at: Instant, days: number, zone: string): Instant =>
  Temporal.Instant.from(at).toZonedDateTimeISO(zone).add({ days }).toInstant().toString();

/** The full period that holds an instant. */
export const periodHolding = (schedule: Schedule, at: Instant): Period =>
  once(`period ${JSON.stringify(schedule)} ${at}`, () => {
    const { interval, billingTime, timeZone } = schedule;
    const anchor = { interval, isCalendar: billingTime === "calendar", day: numberOfDay(schedule.anchor) };
    const { first, end } = periodOf(anchor, localDay(instantOf(at), timeZone));
    const [from, to] = [isoOf(startOfDay(first, timeZone)), isoOf(startOfDay(end, timeZone))];
    return { from, to, firstDay: isoOfDay(first), lastDay: isoOfDay(end - 1) };
  });

/** The one whose days come after those of another: it begins at the very instant where that ends. */
export const periodAfter = (schedule: Schedule, previous: Period): Period => ({
  ...periodHolding(schedule, midnight(addDays(previous.lastDay, 1), schedule.timeZone)),
  from: previous.to,
});

export const laterOf = (one: string, other: string): string => (one < other ? other : one);
export const earlierOf = (one: string, other: string): string => (one < other ? one : other);
