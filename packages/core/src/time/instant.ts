/** Instants as people and programs write them. */
const ISO_TEXT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/** Years that every part of the service can store and show. */
const YEAR_MIN = 1900;
const YEAR_MAX = 9999;

/** An instant from ISO 8601 text, truncated to the microsecond. A missing offset means UTC, a bare date its first moment in UTC. */
export function parseInstant(text: string): Temporal.Instant | undefined {
  const [, date, time = "00:00", offset = "Z"] = ISO_TEXT.exec(text) ?? [];
  if (date === undefined) return undefined;
  try {
    const instant = Temporal.Instant.from(`${date}T${time}${offset}`).round({
      smallestUnit: "microsecond",
      roundingMode: "floor",
    });
    const { year } = instant.toZonedDateTimeISO("UTC");
    return year >= YEAR_MIN && year <= YEAR_MAX ? instant : undefined;
  } catch {
    return undefined;
  }
}

/** The same date and time in UTC, some years later. */
export const yearsLater = (instant: Temporal.Instant, years: number): Temporal.Instant =>
  instant.toZonedDateTimeISO("UTC").add({ years }).toInstant();

/** An instant in a zone's local time with its offset: 2024-01-01T00:00:00+01:00. In UTC it ends with Z. */
export const localText = (instant: Temporal.Instant, timeZone: string): string =>
  timeZone === "UTC" ? instant.toString() : instant.toString({ timeZone });
