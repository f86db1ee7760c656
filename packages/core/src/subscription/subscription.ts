/** A customer's subscription to a plan, in the state it is in. */
import type { PlanFrame } from "../catalog/index.ts";
import type { BillingTime, Period } from "../time/index.ts";
import type { Takeover } from "./charge-parts.ts";

/** What was agreed, whatever has become of it. */
export type Terms = {
  readonly plan: PlanFrame;
  readonly billingTime: BillingTime;
  /** When it was asked to begin. A change of plan inherits it, for anniversaries stay where they are. */
  readonly subscriptionAt: Temporal.Instant;
  readonly endingAt: Temporal.Instant | null;
  /** The customer's, as it is now. */
  readonly timeZone: string;
};

/** backdated: created after the local day on which it begins. upgrade, downgrade: it replaced another one. */
export type Origin = "new" | "backdated" | "upgrade" | "downgrade";

/** The first periods without a bill. They differ only where a plan bills its charges monthly: the year, and its month. */
export type OpenPeriods = { readonly fee: Period; readonly charges: Period };

export type Trial = { readonly endsAt: Temporal.Instant; readonly hasEnded: boolean };

type Begun = Terms & {
  readonly origin: Origin;
  readonly startedAt: Temporal.Instant;
  /** Local date of the start, and the date anniversaries count from: kept when the customer moves to another zone. */
  readonly startDay: Temporal.PlainDate;
  readonly anchor: Temporal.PlainDate;
  /** First start of this customer's subscriptions with this external id: a trial counts from it. */
  readonly firstStartedAt: Temporal.Instant;
  readonly trial: Trial | null;
  readonly open: OpenPeriods;
  /** null: it replaced no other one. */
  readonly takeover: Takeover | null;
};

/** It waits for `subscriptionAt`. */
export type Upcoming = Terms & { readonly status: "pending"; readonly origin: "new" };

/** It waits for the end of the period in which it was asked for, and replaces the active one there. */
export type Downgrade = Terms & {
  readonly status: "pending";
  readonly origin: "downgrade";
  readonly takesOverAt: Temporal.Instant;
  readonly takesOverOn: Temporal.PlainDate;
};

export type Pending = Upcoming | Downgrade;

export type Active = Begun & { readonly status: "active" };

/** ended: nothing follows. An upgrade takes the day it happens on, so that day is not among those of the old plan. */
export type EndCause = "ended" | "upgraded" | "downgraded";

export type Terminated = Begun & {
  readonly status: "terminated";
  readonly terminatedAt: Temporal.Instant;
  readonly cause: EndCause;
};

export type Canceled = Terms & { readonly status: "canceled"; readonly canceledAt: Temporal.Instant };

export type Subscription = Pending | Active | Terminated | Canceled;

/** A subscription that has begun, and so has periods to bill. */
export type Started = Active | Terminated;

/** What lives under one external id: a subscription to come, or an active one and perhaps its downgrade to come. */
export type Chain =
  | { readonly current: Upcoming; readonly next: null }
  | { readonly current: Active; readonly next: Downgrade | null };

/** Only what was agreed. */
export const termsOf = ({ plan, billingTime, subscriptionAt, endingAt, timeZone }: Terms): Terms => ({
  plan,
  billingTime,
  subscriptionAt,
  endingAt,
  timeZone,
});
