/** The steps of a subscription from one status to the next, without its bill. */
import type { EndCause } from "./at-end.ts";
import { periodsAfter } from "./open-periods.ts";
import { laterInstant } from "./order.ts";
import { startDowngrade, startUpgrade } from "./start.ts";
import {
  type Active,
  type Canceled,
  type Downgrade,
  type Pending,
  type Started,
  type Terminated,
  termsOf,
} from "./subscription.ts";

/**
 * Ends an active subscription at an instant, on request or as agreed (`endingAt`), and drops a pending downgrade. A subscription that
 * begins later today ends when it begins.
 */
export function terminate(
  current: Active,
  next: Downgrade | null,
  at: Temporal.Instant,
): { ended: Terminated; canceled: Canceled | null } {
  return { ended: end(current, "ended", soonest(current, at)), canceled: next && cancel(next, at) };
}

/** A subscription that has not started is dropped without a bill. */
export function cancel(pending: Pending, at: Temporal.Instant): Canceled {
  return { ...termsOf(pending), status: "canceled", canceledAt: at };
}

/** A downgrade takes effect where a period ends: both share the instant, and the old one is billed completely. */
export function takeDowngrade(current: Active, next: Downgrade): { old: Terminated; successor: Active } {
  return { old: end(current, "downgraded", next.takesOverAt), successor: startDowngrade(next, current) };
}

/** An upgrade takes effect at once: both share the instant, and the day belongs to the new one. */
export function takeUpgrade(
  current: Active,
  { plan, endingAt, atEnd }: Pick<Active, "plan" | "endingAt" | "atEnd">,
  at: Temporal.Instant,
): { old: Terminated; successor: Active } {
  const terms = { ...termsOf(current), plan, endingAt, atEnd };
  const instant = soonest(current, at);
  return { old: end(current, "upgraded", instant), successor: startUpgrade(terms, current, instant) };
}

/** Opens the next charges period after the bill of the open one. */
export function closePeriod<State extends Started>(subscription: State): State {
  return { ...subscription, open: periodsAfter(subscription) };
}

/** After the end of its trial was processed. */
export function endTrial(subscription: Active): Active {
  return { ...subscription, trial: subscription.trial && { ...subscription.trial, hasEnded: true } };
}

/** Nothing ends before it begins, or before the start of its current period: the clocks of two machines differ a little. */
const soonest = ({ startedAt, open }: Active, at: Temporal.Instant): Temporal.Instant =>
  laterInstant(at, laterInstant(startedAt, open.charges.from));

const end = (current: Active, cause: EndCause, terminatedAt: Temporal.Instant): Terminated => ({
  ...current,
  status: "terminated",
  terminatedAt,
  cause,
});
