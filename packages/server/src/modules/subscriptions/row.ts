/** A subscription as it is stored, and as core computes with it. */
import assert from "node:assert/strict";
import type { PlanFrame } from "@tallystick/core/catalog";
import type { Active, Subscription } from "@tallystick/core/subscription";
import type { Period } from "@tallystick/core/time";
import type { Selectable } from "kysely";
import type { DB } from "../../platform/postgres/schema.ts";

export type SubscriptionRow = Selectable<DB["subscriptions"]>;

/** With what core needs beside the row; the periods are there once it has begun. */
export type StoredSubscription = {
  row: SubscriptionRow;
  plan: PlanFrame;
  open: { fee: Period; charges: Period } | undefined;
  /** A downgrade waits to take its place. */
  isReplaced: boolean;
};

export function toCore({ row, plan, open }: StoredSubscription): Subscription {
  const terms = {
    plan,
    billingTime: row.billing_time as Subscription["billingTime"],
    subscriptionAt: row.subscription_at,
    endingAt: row.ending_at,
    timeZone: row.time_zone,
  };
  switch (row.status) {
    case "canceled":
      return { ...terms, status: "canceled", canceledAt: present(row.canceled_at) };
    case "pending":
      if (row.origin === "new") return { ...terms, status: "pending", origin: "new" };
      return {
        ...terms,
        status: "pending",
        origin: "downgrade",
        takesOverAt: present(row.takes_over_at),
        takesOverOn: present(row.takes_over_on),
      };
    default: {
      const begun = {
        ...terms,
        origin: row.origin as Active["origin"],
        startedAt: present(row.started_at),
        startDay: present(row.start_day),
        anchor: present(row.anchor),
        firstStartedAt: present(row.first_started_at),
        trial: row.trial_ends_at && { endsAt: row.trial_ends_at, hasEnded: row.trial_ended_at !== null },
        open: present(open ?? null),
      };
      if (row.status === "active") return { ...begun, status: "active" };
      const cause = present(row.end_cause) as "ended" | "upgraded" | "downgraded";
      return { ...begun, status: "terminated", terminatedAt: present(row.terminated_at), cause };
    }
  }
}

type StateColumns = Omit<
  SubscriptionRow,
  | "organization_id"
  | "id"
  | "customer_id"
  | "external_id"
  | "plan_id"
  | "previous_subscription_id"
  | "name"
  | "created_at"
  | "updated_at"
>;

const NOT_BEGUN = {
  started_at: null,
  start_day: null,
  anchor: null,
  first_started_at: null,
  trial_ends_at: null,
  trial_ended_at: null,
  terminated_at: null,
  end_cause: null,
};

/** `held` is the row that takes on this state, if there is one: what a canceled downgrade was to replace, and when, stays on it. */
export function toColumns(subscription: Subscription, held?: SubscriptionRow): StateColumns {
  const terms = {
    status: subscription.status,
    billing_time: subscription.billingTime,
    time_zone: subscription.timeZone,
    subscription_at: subscription.subscriptionAt,
    ending_at: subscription.endingAt,
    canceled_at: null,
    takes_over_at: held?.takes_over_at ?? null,
    takes_over_on: held?.takes_over_on ?? null,
  };
  if (subscription.status === "canceled")
    return { ...terms, ...NOT_BEGUN, origin: held?.origin ?? "new", canceled_at: subscription.canceledAt };
  if (subscription.status === "pending") {
    if (subscription.origin === "new") return { ...terms, ...NOT_BEGUN, origin: "new" };
    const { takesOverAt, takesOverOn } = subscription;
    return { ...terms, ...NOT_BEGUN, origin: "downgrade", takes_over_at: takesOverAt, takes_over_on: takesOverOn };
  }
  const { trial } = subscription;
  const isOver = subscription.status === "terminated";
  return {
    ...terms,
    origin: subscription.origin,
    started_at: subscription.startedAt,
    start_day: subscription.startDay,
    anchor: subscription.anchor,
    first_started_at: subscription.firstStartedAt,
    trial_ends_at: trial?.endsAt ?? null,
    trial_ended_at: trial?.hasEnded ? trial.endsAt : null,
    terminated_at: isOver ? subscription.terminatedAt : null,
    end_cause: isOver ? subscription.cause : null,
  };
}

function present<Value>(value: Value | null): Value {
  assert(value !== null, "a constraint says which columns a state has");
  return value;
}
