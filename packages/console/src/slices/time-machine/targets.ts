/** Where a clock can be moved with one press, in days of the organization. */
const startOf = (date: Temporal.PlainDate, zone: string): Temporal.Instant => date.toZonedDateTime(zone).toInstant();

export function targetsOf(now: string, zone: string): { name: string; to: string }[] {
  const at = Temporal.Instant.from(now).toZonedDateTimeISO(zone);
  const today = at.toPlainDate();
  return [
    { name: "To the end of the day", to: startOf(today.add({ days: 1 }), zone) },
    { name: "To the end of the month", to: startOf(today.with({ day: 1 }).add({ months: 1 }), zone) },
    { name: "By a year", to: at.add({ years: 1 }).toInstant() },
  ].map(({ name, to }) => ({ name, to: to.toString() }));
}

/** From a field for a day and a time, in a zone. */
export const instantIn = (local: string, zone: string): string =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(zone).toInstant().toString();

export const localIn = (instant: string, zone: string): string =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: "minute" });
