/** The periods of a subscription as a list, from the one open at its start to the one open at an instant. */
import {
  addDays,
  earlierOf,
  type Instant,
  midnight,
  type Period,
  periodAfter,
  periodHolding,
  type Schedule,
} from "./calendar.ts";
import { type Beginning, type Life, type World, zoneAt } from "./world.ts";

export type Periods = { readonly fee: Period[]; readonly charges: Period[] };

/** Whether something due at an instant came about: time went that far, and the subscription was not over before. */
export const isReached = ({ misreading }: World, { end }: Life, at: Instant, now: Instant): boolean =>
  end === null ? at <= now : at < end.at || (at === end.at && (end.isByRequest || misreading === "closedWindow"));

export function periodsOf(world: World, life: Life, now: Instant): Periods {
  const { begun, plan } = life;
  if (!begun) return { fee: [], charges: [] };
  const { billingTime } = life;
  const schedule: Schedule = { interval: plan.interval, billingTime, anchor: begun.anchor, timeZone: begun.zone };
  let year = firstPeriod(life, begun, schedule);
  let month = plan.areChargesMonthly ? firstPeriod(life, begun, { ...schedule, interval: "monthly" }) : year;
  const periods: Periods = { fee: [year], charges: [month] };
  while (isReached(world, life, month.to, now)) {
    const there = { ...schedule, timeZone: zoneAt(life, month.to) };
    if (world.misreading === "driftingAnniversary") there.anchor = year.firstDay;
    if (month.to === year.to) {
      year = periodAfter(there, year);
      periods.fee.push(year);
    }
    month = plan.areChargesMonthly ? monthIn(year, periodAfter({ ...there, interval: "monthly" }, month)) : year;
    periods.charges.push(month);
  }
  return world.misreading === "movedBoundary" ? withMovedEnd(periods, life.customer.zone) : periods;
}

/** After a plan change, it begins at the change at the latest. */
function firstPeriod({ previous }: Life, { opensOn, at, zone }: Beginning, schedule: Schedule): Period {
  const period = periodHolding(schedule, midnight(opensOn, zone));
  return previous ? { ...period, from: earlierOf(period.from, at) } : period;
}

/** Months tile their year: the last one ends with it, wherever the customer has moved. */
const monthIn = (year: Period, month: Period): Period =>
  month.lastDay === year.lastDay ? { ...month, to: year.to } : month;

function withMovedEnd({ fee, charges }: Periods, zone: string): Periods {
  const moved = (period: Period, index: number, { length }: Period[]) =>
    index === length - 1 ? { ...period, to: midnight(addDays(period.lastDay, 1), zone) } : period;
  return { fee: fee.map(moved), charges: charges.map(moved) };
}
