/** The agreed end of a subscription, and how its end and its start can be changed. */
import { type Faults, fail, ok, type Result } from "../catalog/index.ts";
import { dayOf } from "../time/index.ts";
import { type AtEndRequest, withAtEnd } from "./at-end.ts";
import { type Past, startNew } from "./start.ts";
import type { Active, Downgrade, Pending, Terms } from "./subscription.ts";

export type SubscriptionChange = {
  /** null: never. undefined: not in the request. */
  readonly endingAt: Temporal.Instant | null | undefined;
  readonly subscriptionAt: Temporal.Instant | undefined;
  readonly atEnd: AtEndRequest;
};

/**
 * Applies the allowed changes: the end at any time; the start only of a pending subscription, which begins if its day is today or past.
 * Otherwise the start is ignored.
 */
export function decideUpdate(
  subscription: Pending | Active,
  change: SubscriptionChange,
  { past, now }: { readonly past: Past | null; readonly now: Temporal.Instant },
): Result<Pending | Active, Faults> {
  const waits = subscription.status === "pending" && subscription.origin === "new";
  const isMoved = waits && change.subscriptionAt !== undefined;
  const agreed = withAtEnd(subscription, change.atEnd);
  if (!isMoved && change.endingAt === undefined) return ok(agreed);
  const { endingAt = subscription.endingAt } = change;
  const { subscriptionAt = subscription.subscriptionAt } = waits ? change : subscription;
  const changed = { ...agreed, endingAt, subscriptionAt };
  const faults = endingFaults(changed, now);
  if (faults !== null) return fail(faults);
  const takesOverOn =
    subscription.status === "pending" && subscription.origin === "downgrade" && subscription.takesOverOn;
  if (takesOverOn && change.endingAt && !isAfterDay(change.endingAt, takesOverOn, subscription.timeZone))
    return fail({ ending_at: ["invalid_date"] });
  return ok(isMoved ? startNew(changed, past, now) : changed);
}

/** What is agreed on the end of the active subscription also applies to the downgrade that waits to replace it. */
export const withEndOf = (
  next: Downgrade,
  { endingAt, atEnd }: Pick<SubscriptionChange, "endingAt" | "atEnd">,
): Downgrade => withAtEnd(endingAt === undefined ? next : { ...next, endingAt }, atEnd);

/** Whether an end is on a local day after a downgrade takes over: the downgrade cannot end before it begins. */
export const isAfterDay = (endingAt: Temporal.Instant, day: Temporal.PlainDate, timeZone: string): boolean =>
  Temporal.PlainDate.compare(dayOf(endingAt, timeZone), day) > 0;

/** An end must be on a local day after today and after the day of the start. */
export function endingFaults(
  { endingAt, subscriptionAt, timeZone }: Pick<Terms, "endingAt" | "subscriptionAt" | "timeZone">,
  now: Temporal.Instant,
): Faults | null {
  if (endingAt === null) return null;
  const day = dayOf(endingAt, timeZone);
  const isAfter = (instant: Temporal.Instant) => Temporal.PlainDate.compare(day, dayOf(instant, timeZone)) > 0;
  return isAfter(now) && isAfter(subscriptionAt) ? null : { ending_at: ["invalid_date"] };
}
