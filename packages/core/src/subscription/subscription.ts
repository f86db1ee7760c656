/** A customer's subscription to a plan, with its status. */
import type { PlanFrame } from "../catalog/index.ts";
import type { BillingTime, Period } from "../time/index.ts";
import type { AtEnd, EndCause } from "./at-end.ts";
import type { Takeover } from "./charge-parts.ts";

/** The agreed terms, whatever happened since. */
export type Terms = {
  readonly plan: PlanFrame;
  readonly billingTime: BillingTime;
  /** The requested start. A plan change inherits it, because anniversaries stay the same. */
  readonly subscriptionAt: Temporal.Instant;
  readonly endingAt: Temporal.Instant | null;
  readonly atEnd: AtEnd;
  /** The customer's current zone. */
  readonly timeZone: string;
};

/** backdated: created after the local day on which it begins. upgrade, downgrade: it replaced another one. */
export type Origin = "new" | "backdated" | "upgrade" | "downgrade";

/** The first periods without a bill. They differ only if a plan bills its charges monthly: the year, and its month. */
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
  /** null: it replaced none. */
  readonly takeover: Takeover | null;
};

/** It waits for `subscriptionAt`. */
export type Upcoming = Terms & { readonly status: "pending"; readonly origin: "new" };

/** It waits for the end of the period in which it was requested, and then replaces the active one. */
export type Downgrade = Terms & {
  readonly status: "pending";
  readonly origin: "downgrade";
  readonly takesOverAt: Temporal.Instant;
  readonly takesOverOn: Temporal.PlainDate;
};

export type Pending = Upcoming | Downgrade;

export type Active = Begun & { readonly status: "active" };

export type Terminated = Begun & {
  readonly status: "terminated";
  readonly terminatedAt: Temporal.Instant;
  readonly cause: EndCause;
};

export type Canceled = Terms & { readonly status: "canceled"; readonly canceledAt: Temporal.Instant };

export type Subscription = Pending | Active | Terminated | Canceled;

/** A subscription that has started, and so has periods to bill. */
export type Started = Active | Terminated;

/** The subscriptions under one external id: a pending one, or an active one and possibly its pending downgrade. */
export type Chain =
  | { readonly current: Upcoming; readonly next: null }
  | { readonly current: Active; readonly next: Downgrade | null };

/** Only the agreed terms. */
export const termsOf = ({ plan, billingTime, subscriptionAt, endingAt, atEnd, timeZone }: Terms): Terms => ({
  plan,
  billingTime,
  subscriptionAt,
  endingAt,
  atEnd,
  timeZone,
});
