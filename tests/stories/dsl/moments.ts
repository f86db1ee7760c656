/** Moments as stories write them: "2026-03-01", "2026-03-01 14:30" or "2026-03-01 14:30:05", with "Z" or a time zone after them. */

const MOMENT = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(?: ?(Z|[A-Z][A-Za-z_]+(?:\/[A-Za-z_]+)*))?$/;

export type Defaults = {
  /** The default time zone. */
  timeZone: string;
  /** The default time of a day. */
  time: "00:00" | "12:00";
};

export function readMoment(text: string, defaults: Defaults): Temporal.Instant {
  const [, day, time = defaults.time, zone = defaults.timeZone] = MOMENT.exec(text) ?? [];
  if (day === undefined) throw new Error(`"${text}" is no moment: write "2026-03-01 14:30"`);
  const timeZone = zone === "Z" ? "UTC" : zone;
  // The first existing instant: a day may begin at 01:00.
  if (time === "00:00") return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).toInstant();
  return Temporal.PlainDateTime.from(`${day}T${time}`)
    .toZonedDateTime(timeZone, { disambiguation: "reject" })
    .toInstant();
}

/** The noons from a day to a day, both included. */
export function noonsBetween(from: string, to: string, timeZone: string): Temporal.Instant[] {
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  const count = first.until(last).days + 1;
  if (count < 1) throw new Error(`${to} is before ${from}`);
  return Array.from({ length: count }, (_, index) =>
    readMoment(first.add({ days: index }).toString(), { timeZone, time: "12:00" }),
  );
}

export const toSeconds = (instant: Temporal.Instant): number => instant.epochMilliseconds / 1000;

export const localDay = (instant: string, timeZone: string): string =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainDate().toString();

/** "10 days" */
export function readDays(text: string): number {
  const [, count] = /^(\d+) days?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`"${text}" is no number of days: write "10 days"`);
  return Number(count);
}
