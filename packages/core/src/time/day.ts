/** Local days: when they begin, which one an instant lies on, how many there are. */

/**
 * The first existing instant of a local day. Where clocks skip midnight that is the instant after the gap, of two
 * midnights it is the first, and a day that a zone skipped (30 December 2011 in Apia) begins where the next one does.
 */
export function startOfDay(day: Temporal.PlainDate, timeZone: string): Temporal.Instant {
  return day.toZonedDateTime(timeZone).toInstant();
}

/**
 * The day whose first instant is the last one not after this instant. Where clocks go back over midnight it is not the
 * date on the wall: the second 23:30 already lies on the day that has begun, for no day begins twice.
 */
export function dayOf(instant: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  const shown = instant.toZonedDateTimeISO(timeZone).toPlainDate();
  const next = shown.add({ days: 1 });
  return Temporal.Instant.compare(startOfDay(next, timeZone), instant) <= 0 ? next : shown;
}

/** Days from the first to the last, both included: 8 to 31 January are 24. None if the last is before the first. */
export function countDays(first: Temporal.PlainDate, last: Temporal.PlainDate): number {
  return Math.max(0, first.until(last).days + 1);
}
