/** When a trial ends. */
import { type Decimal, fraction, round, truncateTo } from "../money/index.ts";

const DAY_SECONDS = 86_400n;

/**
 * The instant a trial ends: its whole days later at the same local time, be some of them 23 or 25 hours long, so that an evening
 * start ends in the evening; a part of a day counts as that part of 24 hours, to the second.
 */
export function trialEnd(firstStart: Temporal.Instant, trialDays: Decimal, timeZone: string): Temporal.Instant {
  const wholeDays = truncateTo(trialDays, 0);
  const seconds = round(fraction(trialDays).minus(wholeDays).times(DAY_SECONDS));
  return daysLater(firstStart.toZonedDateTimeISO(timeZone), Number(wholeDays.toFixed()))
    .toInstant()
    .add({ seconds: Number(seconds) });
}

/** A local time that clocks leave out is taken an hour later, or, where that is the next day (Greenland leaves out 23:00), an hour earlier. */
function daysLater(start: Temporal.ZonedDateTime, days: number): Temporal.ZonedDateTime {
  const end = start.add({ days });
  const local = start.toPlainDateTime().add({ days });
  if (end.toPlainDate().equals(local.toPlainDate())) return end;
  return local.toZonedDateTime(start.timeZoneId, { disambiguation: "earlier" });
}
