/** The scheduled steps of a subscription. */
import { dayOf, startOfDay } from "../time/index.ts";
import { isBefore } from "./order.ts";
import type { Active, Downgrade, Subscription } from "./subscription.ts";

/** In the order in which they run at the same instant. */
export const DUE_KINDS = ["activation", "ending", "downgrade", "period_end", "trial_end", "termination_alert"] as const;

export type DueKind = (typeof DUE_KINDS)[number];

export type Due = { readonly kind: DueKind; readonly at: Temporal.Instant };

const ALERT_DAYS = [45, 15];

/**
 * All next steps, in the order in which they run; only alerts before `now` are omitted. Each step runs once. After the end of a period the
 * next one is listed, so that a service that was down runs every missed step, each at its instant.
 */
export function dueInstants(subscription: Subscription, next: Downgrade | null, now: Temporal.Instant): Due[] {
  switch (subscription.status) {
    case "pending":
      return subscription.origin === "new" ? [{ kind: "activation", at: subscription.subscriptionAt }] : [];
    case "active":
      return dueOfActive(subscription, next, now);
    case "terminated": {
      // The subscription ended while the bill of an earlier period end was still waiting.
      const at = subscription.open.charges.to;
      return isBefore(at, subscription.terminatedAt) ? [{ kind: "period_end", at }] : [];
    }
    case "canceled":
      return [];
  }
}

function dueOfActive(
  { open, trial, endingAt, timeZone }: Active,
  next: Downgrade | null,
  now: Temporal.Instant,
): Due[] {
  const dues: Due[] = [];
  if (next !== null) dues.push({ kind: "downgrade", at: next.takesOverAt });
  // A downgrade bills the period that ends with it.
  if (!next?.takesOverAt.equals(open.charges.to)) dues.push({ kind: "period_end", at: open.charges.to });
  if (trial !== null && !trial.hasEnded) dues.push({ kind: "trial_end", at: trial.endsAt });
  if (endingAt === null) return inOrder(dues);
  // An end on the boundary of a period closes that period, so nothing else happens then or later.
  const remaining = dues.filter(({ at }) => isBefore(at, endingAt));
  const alerts = alertsBefore(endingAt, timeZone).filter(({ at }) => !isBefore(at, now));
  return inOrder([...remaining, { kind: "ending", at: endingAt }, ...alerts]);
}

function alertsBefore(endingAt: Temporal.Instant, timeZone: string): Due[] {
  const lastDay = dayOf(endingAt, timeZone);
  return ALERT_DAYS.map((days) => ({
    kind: "termination_alert",
    at: startOfDay(lastDay.subtract({ days }), timeZone),
  }));
}

const inOrder = (dues: readonly Due[]): Due[] =>
  dues.toSorted(
    (one, other) =>
      Temporal.Instant.compare(one.at, other.at) || DUE_KINDS.indexOf(one.kind) - DUE_KINDS.indexOf(other.kind),
  );
