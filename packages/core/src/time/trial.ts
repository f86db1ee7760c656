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
  return firstStart
    .toZonedDateTimeISO(timeZone)
    .add({ days: Number(wholeDays.toFixed()) })
    .toInstant()
    .add({ seconds: Number(seconds) });
}
