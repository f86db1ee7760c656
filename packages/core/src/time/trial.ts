/** When a trial ends. */
import { type Decimal, fraction, round, truncateTo } from "../money/index.ts";

const DAY_SECONDS = 86_400n;

/**
 * The instant at which a trial ends: its whole days later at the same local time, even if some days have 23 or 25 hours. So a trial that
 * starts in the evening ends in the evening. A part of a day counts as that part of 24 hours, to the second.
 */
export function trialEnd(firstStart: Temporal.Instant, trialDays: Decimal, timeZone: string): Temporal.Instant {
  const wholeDays = truncateTo(trialDays, 0);
  const seconds = round(fraction(trialDays).minus(wholeDays).times(DAY_SECONDS));
  return daysLater(firstStart.toZonedDateTimeISO(timeZone), Number(wholeDays.toFixed()))
    .toInstant()
    .add({ seconds: Number(seconds) });
}

/** A skipped local time is taken an hour later or, if that is the next day (Greenland skips 23:00), an hour earlier. */
function daysLater(start: Temporal.ZonedDateTime, days: number): Temporal.ZonedDateTime {
  const end = start.add({ days });
  const local = start.toPlainDateTime().add({ days });
  if (end.toPlainDate().equals(local.toPlainDate())) return end;
  return local.toZonedDateTime(start.timeZoneId, { disambiguation: "earlier" });
}
