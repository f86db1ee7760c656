/** The calendar by stepping from one day to the next, and the rule on which days a period begins; nothing here asks Temporal. */

/** Number: days since 1 January 1970. Weekday: Monday is 1. */
export type PlainDay = {
  readonly number: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
};

export type Terms = {
  readonly interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  readonly billingTime: "calendar" | "anniversary";
  readonly anchor: PlainDay;
};

const EPOCH: PlainDay = { number: 0, year: 1970, month: 1, day: 1, weekday: 4 };

/** Every day from 1 January of one year to 31 December of another. */
export function listDays(fromYear: number, toYear: number): PlainDay[] {
  const days: PlainDay[] = [];
  for (let day = EPOCH; day.year <= toYear; day = dayAfter(day)) if (day.year >= fromYear) days.push(day);
  return days;
}

/** The day of an ISO date. */
export function readDay(date: string): PlainDay {
  const year = Number(date.slice(0, 4));
  const found = listDays(year, year).find((day) => isoDate(day) === date);
  if (!found) throw new RangeError(`${date} is no day.`);
  return found;
}

export const isoDate = ({ year, month, day }: PlainDay): string =>
  `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

/** The rule of the trade, asked of one day: does a period begin on it? */
export function beginsOn({ interval, billingTime, anchor }: Terms, day: PlainDay): boolean {
  const isCalendar = billingTime === "calendar";
  if (interval === "weekly") return day.weekday === (isCalendar ? 1 : anchor.weekday);
  const every = { monthly: 1, quarterly: 3, semiannual: 6, yearly: 12 }[interval];
  if ((day.month - (isCalendar ? 1 : anchor.month)) % every !== 0) return false;
  return day.day === Math.min(isCalendar ? 1 : anchor.day, daysInMonth(day));
}

function dayAfter({ number, year, month, day, weekday }: PlainDay): PlainDay {
  const step = { number: number + 1, weekday: (weekday % 7) + 1 };
  if (day < daysInMonth({ year, month })) return { ...step, year, month, day: day + 1 };
  return month < 12 ? { ...step, year, month: month + 1, day: 1 } : { ...step, year: year + 1, month: 1, day: 1 };
}

function daysInMonth({ year, month }: Pick<PlainDay, "year" | "month">): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
