/** Which periods a subscription is billed for next. */
import { monthOf, type Period, periodAfter, periodAt, periodOn, type Schedule } from "../time/index.ts";
import { earlierInstant, isBefore } from "./order.ts";
import type { OpenPeriods, Started } from "./subscription.ts";

type Scheduled = Pick<Started, "plan" | "billingTime" | "anchor" | "timeZone">;

/** The full periods that contain the instant. */
export function periodsAt(subscription: Scheduled, instant: Temporal.Instant): OpenPeriods {
  const schedule = scheduleOf(subscription);
  const fee = periodAt(schedule, instant);
  return { fee, charges: subscription.plan.areChargesMonthly ? monthOf(schedule, instant) : fee };
}

/** The full periods that contain the local day on which the subscription starts at the instant. They begin no later than the instant. */
export function periodsFrom(subscription: Scheduled, day: Temporal.PlainDate, at: Temporal.Instant): OpenPeriods {
  const schedule = scheduleOf(subscription);
  const from = (period: Period): Period => ({ ...period, from: earlierInstant(period.from, at) });
  const fee = from(periodOn(schedule, day));
  return {
    fee,
    charges: subscription.plan.areChargesMonthly ? from(periodOn({ ...schedule, interval: "monthly" }, day)) : fee,
  };
}

/** The open periods after the bill of the open charges period: the same year and its next month, or new ones. */
export function periodsAfter(subscription: Scheduled & Pick<Started, "open">): OpenPeriods {
  const schedule = scheduleOf(subscription);
  const { open } = subscription;
  const fee = endsFeePeriod(open) ? periodAfter(schedule, open.fee) : open.fee;
  if (!subscription.plan.areChargesMonthly) return { fee, charges: fee };
  const month = periodAfter({ ...schedule, interval: "monthly" }, open.charges);
  // A year that was open when the customer moved to another zone keeps its end, so its last month must end there too.
  const isLastMonth = month.lastDay.equals(fee.lastDay);
  return { fee, charges: isLastMonth ? { ...month, to: fee.to } : month };
}

/** The periods that contain `now`, even while the bill of a past period is still waiting. */
export function periodsHolding(subscription: Started, now: Temporal.Instant): OpenPeriods {
  let { open } = subscription;
  while (!isBefore(now, open.charges.to)) open = periodsAfter({ ...subscription, open });
  return open;
}

/** The first boundary of its periods after an instant. For an ended subscription, the boundary it would have had. */
export const boundaryAfter = (subscription: Started, at: Temporal.Instant): Temporal.Instant =>
  periodsHolding(subscription, at).charges.to;

/** Whether the subscription's fee period ends where its charges period does: always, unless charges are monthly. */
export const endsFeePeriod = ({ fee, charges }: OpenPeriods): boolean => charges.to.equals(fee.to);

const scheduleOf = ({ plan, billingTime, anchor, timeZone }: Scheduled): Schedule => ({
  interval: plan.interval,
  billingTime,
  anchor,
  timeZone,
});
