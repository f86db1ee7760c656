// Local calendar days as intervals of time: each begins at its first existing instant and ends where the next begins.

/** The instant at which a local day begins; where its midnight comes twice, the first one. */
export const startOfDay = (date: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  date.toZonedDateTime(timeZone).toInstant();

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean => Temporal.Instant.compare(a, b) < 0;

/** The last day that has begun. If clocks are set back over midnight, this is not the date that they show. */
export function dayOf(instant: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  let day = instant.toZonedDateTimeISO(timeZone).toPlainDate().add({ days: 1 });
  while (isBefore(instant, startOfDay(day, timeZone))) day = day.subtract({ days: 1 });
  return day;
}

const EPOCH = Temporal.PlainDate.from("1970-01-01");

/** Days counted from one fixed day, so that a window can be walked by whole numbers. */
export const dayNumber = (date: Temporal.PlainDate): number => EPOCH.until(date, { largestUnit: "days" }).days;
