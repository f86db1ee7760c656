/** The window of current usage, and when it will be invoiced. */
import type { UsageWindow } from "../usage/index.ts";
import { periodsHolding } from "./open-periods.ts";
import { usageWindowIn } from "./span.ts";
import type { Active } from "./subscription.ts";

export type CurrentUsage = { readonly window: UsageWindow; readonly issuingOn: Temporal.PlainDate };

/** The usage of the whole charges period that holds `now`, to its end; its invoice is made on the day after. */
export function currentUsage(subscription: Active, now: Temporal.Instant): CurrentUsage {
  const window = usageWindowIn(subscription, periodsHolding(subscription, now).charges);
  if (window === null) throw new RangeError("A subscription begins before its first period ends.");
  return { window, issuingOn: window.lastDay.add({ days: 1 }) };
}
