/** The window of current usage, and when it will be invoiced. */
import type { Period } from "../time/index.ts";
import type { UsageWindow } from "../usage/index.ts";
import type { Accepted, ChargeParts } from "./charge-parts.ts";
import { periodsHolding } from "./open-periods.ts";
import { isBefore } from "./order.ts";
import { partsAtClose } from "./plan-change.ts";
import { usageWindowIn } from "./span.ts";
import type { Active, Started } from "./subscription.ts";

export type CurrentUsage = {
  readonly window: UsageWindow;
  /** What a plan change leaves of the charges in arrears. */
  readonly parts: ChargeParts;
  readonly issuingOn: Temporal.PlainDate;
};

/** The usage of the whole charges period that contains `now`, to its end. Its invoice is created on the day after. */
export function currentUsage(subscription: Active, now: Temporal.Instant): CurrentUsage {
  const open = periodsHolding(subscription, now);
  const window = usageWindowIn(subscription, open.charges);
  if (window === null) throw new RangeError("A subscription begins before its first period ends.");
  return { window, parts: partsAtClose({ ...subscription, open }), issuingOn: window.lastDay.add({ days: 1 }) };
}

/** Events at the exact start of a window that came before it belong to the plan that was replaced there. */
export const acceptedBeforeWindow = (
  { takeover, startedAt }: Pick<Started, "takeover" | "startedAt">,
  { from }: Pick<UsageWindow, "from">,
): Accepted | null => (from.equals(startedAt) ? (takeover?.acceptedBefore ?? null) : null);

/**
 * The usage of the whole charges period that contains an instant of the subscription, even if it has ended since. `past`: that period if it
 * is no longer open; null: it was never billed.
 */
export function usageWindowAt(subscription: Started, at: Temporal.Instant, past: Period | null): UsageWindow | null {
  const living: Active = { ...subscription, status: "active" };
  const period = isBefore(at, living.open.charges.from) ? past : periodsHolding(living, at).charges;
  return period && usageWindowIn(living, period);
}
