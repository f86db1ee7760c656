/** Local days: when they begin, which one an instant lies on, how many there are. */

/**
 * The first existing instant of a local day. If clocks skip midnight, it is the instant after the gap; if midnight occurs twice, it is the
 * first. A day that a zone skipped (December 30, 2011 in Apia) begins where the next one does.
 */
export function startOfDay(day: Temporal.PlainDate, timeZone: string): Temporal.Instant {
  return day.toZonedDateTime(timeZone).toInstant();
}

/**
 * The day whose first instant is the last one not after this instant. If clocks go back over midnight, it is not the date that they show:
 * the second 23:30 is already on the new day, because no day begins twice.
 */
export function dayOf(instant: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  const shown = instant.toZonedDateTimeISO(timeZone).toPlainDate();
  const next = shown.add({ days: 1 });
  return Temporal.Instant.compare(startOfDay(next, timeZone), instant) <= 0 ? next : shown;
}

/** Days from the first to the last, both inclusive: January 8 to 31 are 24. None if the last is before the first. */
export function countDays(first: Temporal.PlainDate, last: Temporal.PlainDate): number {
  return Math.max(0, first.until(last).days + 1);
}
