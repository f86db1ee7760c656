/**
 * Days, months and periods, by arithmetic of this campaign's own: a day is a number, counted from 1 January 1970. Only what day it is
 * at an instant in a zone, and when a day begins there, is asked of the runtime.
 */
export type Day = number;
/** Seconds since 1970. */
export type Instant = number;
export type Interval = "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
export type Anchor = { readonly interval: Interval; readonly isCalendar: boolean; readonly day: Day };

const MONTHS: Readonly<Record<Interval, number>> = {
  weekly: 0,
  monthly: 1,
  quarterly: 3,
  semiannual: 6,
  yearly: 12,
};
const DAYS_OF_400_YEARS = 146_097;

/** The number of a civil date; months count from 0 and may exceed 11. */
function dayOf(year: number, month: number, dayOfMonth: number): Day {
  const y = year + Math.floor(month / 12);
  const m = ((month % 12) + 12) % 12;
  // Years that begin in March end with the leap day.
  const shifted = m < 2 ? y - 1 : y;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((m + 10) % 12) + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_OF_400_YEARS + dayOfEra - 719_468;
}

export type Civil = { year: number; month: number; dayOfMonth: number };

function civilOf(day: Day): Civil {
  const [year = 0, month = 0, dayOfMonth = 0] = isoOfDay(day).split("-").map(Number);
  return { year, month: month - 1, dayOfMonth };
}

export function numberOfDay(iso: string): Day {
  const [year = 0, month = 0, dayOfMonth = 0] = iso.split("-").map(Number);
  return dayOf(year, month - 1, dayOfMonth);
}

export const isoOfDay = (day: Day): string => isoOf(day * 86_400).slice(0, 10);

export const isoOf = (instant: Instant): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.round(instant * 1000)).toString({ smallestUnit: "second" });

export const instantOf = (iso: string): Instant => Temporal.Instant.from(iso).epochMilliseconds / 1000;

/** The local day at an instant. */
export function localDay(instant: Instant, zone: string): Day {
  const { year, month, day } = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant * 1000)).toZonedDateTimeISO(
    zone,
  );
  return dayOf(year, month - 1, day);
}

/** When a local day begins. */
export function startOfDay(day: Day, zone: string): Instant {
  const { year, month, dayOfMonth } = civilOf(day);
  const date = Temporal.PlainDate.from({ year, month: month + 1, day: dayOfMonth });
  return date.toZonedDateTime({ timeZone: zone }).startOfDay().epochMilliseconds / 1000;
}

const lengthOfMonth = (year: number, month: number): number => dayOf(year, month + 1, 1) - dayOf(year, month, 1);

/** The first day of the period that is so many periods after the one with the anchor. */
function startOfPeriod({ interval, isCalendar, day }: Anchor, count: number): Day {
  if (interval === "weekly") {
    // 1 January 1970 was a Thursday.
    const first = isCalendar ? day - ((((day + 3) % 7) + 7) % 7) : day;
    return first + 7 * count;
  }
  const { year, month, dayOfMonth } = civilOf(day);
  const step = MONTHS[interval];
  const first = isCalendar ? month - (month % step) : month;
  const target = first + step * count;
  const targetYear = year + Math.floor(target / 12);
  const targetMonth = ((target % 12) + 12) % 12;
  const expected = isCalendar ? 1 : dayOfMonth;
  return dayOf(targetYear, targetMonth, Math.min(expected, lengthOfMonth(targetYear, targetMonth)));
}

export type Period = { readonly first: Day /** Not included. */; readonly end: Day; readonly length: number };

/** The period that a day is in. */
export function periodOf(anchor: Anchor, day: Day): Period {
  const guess = { weekly: 7, monthly: 30.44, quarterly: 91.3, semiannual: 182.6, yearly: 365.25 }[anchor.interval];
  let count = Math.floor((day - anchor.day) / guess) - 1;
  while (startOfPeriod(anchor, count + 1) <= day) count++;
  while (startOfPeriod(anchor, count) > day) count--;
  const [first, end] = [startOfPeriod(anchor, count), startOfPeriod(anchor, count + 1)];
  return { first, end, length: end - first };
}

/** n/d, halves away from zero. */
export function roundedQuotient(numerator: bigint, denominator: bigint): number {
  const sign = numerator < 0n ? -1n : 1n;
  const size = numerator * sign;
  return Number(sign * ((2n * size + denominator) / (2n * denominator)));
}
