/** How a subscription begins. */
import { dayOf, trialEnd } from "../time/index.ts";
import { periodsAt, periodsFrom } from "./open-periods.ts";
import { earlierInstant, isBefore, laterDay, laterInstant } from "./order.ts";
import {
  type Active,
  type Downgrade,
  type Origin,
  type Terms,
  type Trial,
  termsOf,
  type Upcoming,
} from "./subscription.ts";

/** Earlier, ended subscriptions with this external id, of any customer. */
export type Past = {
  /** The first start of this customer's; null: there was none. */
  readonly firstStartedAt: Temporal.Instant | null;
  /** The end of the last one: what was billed up to there is not billed again, to any customer. */
  readonly billedUntil: Temporal.Instant;
};

/** By local dates: today is active now, a past day is active and backdated, a future day is pending. */
export function startNew(terms: Terms, past: Past | null, now: Temporal.Instant): Upcoming | Active {
  const today = dayOf(now, terms.timeZone);
  const order = Temporal.PlainDate.compare(dayOf(terms.subscriptionAt, terms.timeZone), today);
  if (order > 0) return { ...termsOf(terms), status: "pending", origin: "new" };
  return beginNew(terms, order < 0 ? "backdated" : "new", past, now);
}

/** A subscription whose day has come begins at the requested instant. */
export function activate(upcoming: Upcoming, past: Past | null): Active {
  return beginNew(upcoming, "new", past, upcoming.subscriptionAt);
}

/**
 * The subscription that takes over at an instant: it keeps the anniversaries, and its trial counts from the first start. In the customer's
 * new zone, it may still be the last day of a period that was billed: its first day is then the day after that period.
 */
export function startUpgrade(terms: Terms, current: Active, at: Temporal.Instant): Active {
  const { startDay, open } = current;
  const today = dayOf(at, terms.timeZone);
  return takeOver(terms, current, { at, on: laterDay(today, laterDay(startDay, open.charges.firstDay)) }, "upgrade");
}

/**
 * The subscription that takes over where a period ends. Its first day is the day after that period, even if that day has not begun in the
 * customer's new zone: the last day of the period was billed.
 */
export function startDowngrade(next: Downgrade, current: Active): Active {
  return takeOver(next, current, { at: next.takesOverAt, on: next.takesOverOn }, "downgrade");
}

function takeOver(
  terms: Terms,
  { anchor, firstStartedAt }: Active,
  { at, on: startDay }: { at: Temporal.Instant; on: Temporal.PlainDate },
  origin: "upgrade" | "downgrade",
): Active {
  const { plan, billingTime, timeZone } = terms;
  const active = begin(terms, { origin, startedAt: at, firstStartedAt, anchor }, at);
  return { ...active, startDay, open: periodsFrom({ plan, billingTime, anchor, timeZone }, startDay, at) };
}

/** Begins at the requested instant, but never inside what an earlier subscription with this external id was billed for. */
function beginNew(terms: Terms, origin: Origin, past: Past | null, now: Temporal.Instant): Active {
  const { subscriptionAt, timeZone } = terms;
  const startedAt = past === null ? subscriptionAt : laterInstant(subscriptionAt, past.billedUntil);
  const firstStartedAt = past?.firstStartedAt ? earlierInstant(startedAt, past.firstStartedAt) : startedAt;
  return begin(terms, { origin, startedAt, firstStartedAt, anchor: dayOf(subscriptionAt, timeZone) }, now);
}

type Beginning = Pick<Active, "origin" | "startedAt" | "firstStartedAt" | "anchor">;

function begin(terms: Terms, beginning: Beginning, now: Temporal.Instant): Active {
  const { plan, billingTime, timeZone } = terms;
  const { origin, startedAt, firstStartedAt, anchor } = beginning;
  return {
    ...termsOf(terms),
    ...beginning,
    status: "active",
    startDay: dayOf(startedAt, timeZone),
    trial: trialOf(terms, firstStartedAt, now),
    // Periods that were over when it was created are never billed.
    open: periodsAt({ plan, billingTime, anchor, timeZone }, origin === "backdated" ? now : startedAt),
    takeover: null,
  };
}

function trialOf({ plan, timeZone }: Terms, firstStartedAt: Temporal.Instant, now: Temporal.Instant): Trial | null {
  if (!plan.trialDays.gt("0")) return null;
  const endsAt = trialEnd(firstStartedAt, plan.trialDays, timeZone);
  return { endsAt, hasEnded: !isBefore(now, endsAt) };
}
