/** Days are days (no zone moves them); instants are shown in the zone that billed them. */
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const dayShort = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

const atNoon = (isoDay: string) => Temporal.Instant.from(`${isoDay}T12:00:00Z`).epochMilliseconds;

export const showDay = (isoDay: string): string => day.format(atNoon(isoDay));
export const showDayShort = (isoDay: string): string => dayShort.format(atNoon(isoDay));

const zoned = new Map<string, Intl.DateTimeFormat>();
export function showInstant(iso: string, timeZone: string, year?: "year"): string {
  const key = `${timeZone} ${year}`;
  let made = zoned.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat(undefined, {
      day: "numeric",
      month: "short",
      ...(year ? { year: "numeric" } : {}),
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone,
    });
    zoned.set(key, made);
  }
  return made.format(Temporal.Instant.from(iso).epochMilliseconds);
}

/** The day of an instant in a zone. */
export const showDayIn = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone }).format(
    Temporal.Instant.from(iso).epochMilliseconds,
  );

/** The day of an instant, in the zone of the reader. */
const readerDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
export const showInstantDay = (iso: string): string => readerDay.format(Temporal.Instant.from(iso).epochMilliseconds);

/** An instant to the second, in the zone of the reader, for comparing with a log. */
const readerSecond = new Intl.DateTimeFormat(undefined, {
  ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" },
  hourCycle: "h23",
  timeZoneName: "short",
});
export const showSecond = (iso: string): string => readerSecond.format(Temporal.Instant.from(iso).epochMilliseconds);
