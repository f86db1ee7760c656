/** A subscription as it is stored, and in the form that core uses. */
import assert from "node:assert/strict";
import type { PlanFrame } from "@tallystick/core/catalog";
import {
  type Accepted,
  agreeAtEnd,
  type Bill,
  type BilledBefore,
  type ChargePart,
  type ChargeParts,
  type ReturnedDays,
  type Subscription,
  type Takeover,
} from "@tallystick/core/subscription";
import type { Period } from "@tallystick/core/time";
import type { Selectable } from "kysely";
import type { DB } from "../../platform/postgres/schema.ts";
import { type FrameTerms, toPlanFrame } from "../catalogue/index.ts";

export type SubscriptionRow = Selectable<DB["subscriptions"]>;

/** The row, with what else core needs. A subscription that has begun has periods. */
export type StoredSubscription = {
  row: SubscriptionRow;
  plan: PlanFrame;
  open: { fee: Period; charges: Period } | undefined;
  /** Whether a downgrade waits to replace it. */
  isReplaced: boolean;
};

/** The row as read: with the newest terms of its plan, and its open periods. */
type StoredRow = SubscriptionRow &
  Record<"fee_from" | "fee_to" | "charges_from" | "charges_to", Temporal.Instant | null> &
  Record<"fee_first_day" | "fee_last_day" | "charges_first_day" | "charges_last_day", Temporal.PlainDate | null> & {
    terms: FrameTerms;
    is_replaced: boolean;
  };

export function toStored({
  terms,
  fee_from,
  fee_to,
  fee_first_day,
  fee_last_day,
  charges_from,
  charges_to,
  charges_first_day,
  charges_last_day,
  is_replaced: isReplaced,
  ...row
}: StoredRow): StoredSubscription {
  const fee = toPeriod(fee_from, fee_to, fee_first_day, fee_last_day);
  const charges = toPeriod(charges_from, charges_to, charges_first_day, charges_last_day);
  return { row, plan: toPlanFrame(terms), open: fee && charges && { fee, charges }, isReplaced };
}

function toPeriod(
  from: Temporal.Instant | null,
  to: Temporal.Instant | null,
  firstDay: Temporal.PlainDate | null,
  lastDay: Temporal.PlainDate | null,
): Period | undefined {
  return from && to && firstDay && lastDay ? { from, to, firstDay, lastDay } : undefined;
}

export function toCore({ row, plan, open }: StoredSubscription): Subscription {
  const terms = {
    plan,
    billingTime: row.billing_time,
    subscriptionAt: row.subscription_at,
    endingAt: row.ending_at,
    atEnd: agreeAtEnd(plan, { creditNote: row.on_termination_credit_note, invoice: row.on_termination_invoice }),
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
        origin: row.origin,
        startedAt: present(row.started_at),
        startDay: present(row.start_day),
        anchor: present(row.anchor),
        firstStartedAt: present(row.first_started_at),
        trial: row.trial_ends_at && { endsAt: row.trial_ends_at, hasEnded: row.trial_ended_at !== null },
        open: present(open ?? null),
        takeover: toTakeover(row.takeover),
      };
      if (row.status === "active") return { ...begun, status: "active" };
      const cause = present(row.end_cause);
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
  takeover: null,
};

/** `locked` is the row that gets this state, if there is one. It keeps what a canceled downgrade was to replace, and when. */
export function toColumns(subscription: Subscription, locked?: SubscriptionRow): StateColumns {
  const terms = {
    status: subscription.status,
    billing_time: subscription.billingTime,
    time_zone: subscription.timeZone,
    subscription_at: subscription.subscriptionAt,
    ending_at: subscription.endingAt,
    on_termination_credit_note: subscription.atEnd.creditNote,
    on_termination_invoice: subscription.atEnd.invoice,
    canceled_at: null,
    takes_over_at: locked?.takes_over_at ?? null,
    takes_over_on: locked?.takes_over_on ?? null,
  };
  if (subscription.status === "canceled")
    return { ...terms, ...NOT_BEGUN, origin: locked?.origin ?? "new", canceled_at: subscription.canceledAt };
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
    takeover: subscription.takeover && JSON.stringify(subscription.takeover),
  };
}

function present<Value>(value: Value | null): Value {
  assert(value !== null, "a constraint says which columns a state has");
  return value;
}

type WindowText = Readonly<Record<"from" | "to" | "firstDay" | "lastDay", string>> & { readonly periodDays: number };
type WindowTexts = {
  fee: (WindowText & { freeDays: number }) | null;
  charges: (WindowText & { timeZone: string }) | null;
  renewal: (WindowText & { timeZone: string }) | null;
  commitment: WindowText | null;
  parts?: Readonly<Record<string, PartText>>;
  returned?: readonly ReturnedText[];
  acceptedBefore?: Accepted;
};
type DaysText = Readonly<Record<"firstDay" | "lastDay", string>>;
export type ReturnedText = DaysText & Readonly<Record<"chargeId" | "metricCode", string>>;
type PartText =
  | { type: "whole" }
  | { type: "left_out"; paidFrom: string | null; paidAfter?: Accepted }
  | ({ type: "days" } & DaysText)
  | { type: "beyond_paid"; paidFrom: string; paidTo: string; paidAfter?: Accepted; paidUpTo?: Accepted };

/** A bill, and the parts of its subscription that are needed to price it. */
export type BillRow = {
  id: string;
  subscription_id: string;
  reason: DB["bills"]["reason"];
  windows: unknown;
  external_id: string;
  plan_id: string;
  first_started_at: Temporal.Instant | null;
  occurred_at: Temporal.Instant;
  created_at: Temporal.Instant;
  test_clock_id: string | null;
  successor_id: string | null;
  successor_plan_id: string | null;
  /** Whether its plan, or the parent of its plan, is deleted. */
  is_plan_deleted: boolean;
};

/** A bill in core's form, from the stored text of its windows. */
export function toBill(reason: Bill["reason"], windows: unknown): Bill {
  const { fee, charges, renewal, commitment, parts, returned = [], acceptedBefore } = windows as WindowTexts;
  return {
    reason,
    fee: fee && { ...toSpan(fee), freeDays: fee.freeDays },
    charges: charges && { ...toSpan(charges), timeZone: charges.timeZone },
    renewal: renewal && { ...toSpan(renewal), timeZone: renewal.timeZone },
    commitment: commitment && toSpan(commitment),
    parts: parts ? toParts(parts) : null,
    returned: toReturned(returned),
    ...(acceptedBefore ? { acceptedBefore } : {}),
  };
}

/** Returned days as parsed from JSON. */
export const toReturned = (returned: readonly ReturnedText[]): ReturnedDays[] =>
  returned.map((days) => ({ ...days, ...toDays(days) }));

function toTakeover(stored: unknown): Takeover | null {
  if (stored === null) return null;
  const { lastDay, atOnce, atClose, billedBefore = [], acceptedBefore } = stored as TakeoverText;
  return {
    lastDay: Temporal.PlainDate.from(lastDay),
    atOnce: toParts(atOnce),
    atClose: toParts(atClose),
    billedBefore: billedBefore.map((billed) => ({
      ...billed,
      lastDay: Temporal.PlainDate.from(billed.lastDay),
      from: Temporal.Instant.from(billed.from),
      to: Temporal.Instant.from(billed.to),
    })),
    ...(acceptedBefore ? { acceptedBefore } : {}),
  };
}

type TakeoverText = Record<"atOnce" | "atClose", Record<string, PartText>> & {
  lastDay: string;
  acceptedBefore?: Accepted;
  /** Absent on subscriptions of earlier releases. */
  billedBefore?: readonly (Omit<BilledBefore, "lastDay" | "from" | "to"> & Record<"lastDay" | "from" | "to", string>)[];
};

const toParts = (parts: Readonly<Record<string, PartText>>): ChargeParts =>
  Object.fromEntries(Object.entries(parts).map(([id, part]) => [id, toPart(part)]));

function toPart(part: PartText): ChargePart {
  switch (part.type) {
    case "whole":
      return part;
    case "left_out":
      return { ...part, paidFrom: part.paidFrom === null ? null : Temporal.Instant.from(part.paidFrom) };
    case "days":
      return { ...part, ...toDays(part) };
    case "beyond_paid":
      return {
        ...part,
        paidFrom: Temporal.Instant.from(part.paidFrom),
        paidTo: Temporal.Instant.from(part.paidTo),
      };
  }
}

const toDays = ({ firstDay, lastDay }: DaysText) => ({
  firstDay: Temporal.PlainDate.from(firstDay),
  lastDay: Temporal.PlainDate.from(lastDay),
});

const toSpan = ({ from, to, firstDay, lastDay, periodDays }: WindowText) => ({
  from: Temporal.Instant.from(from),
  to: Temporal.Instant.from(to),
  firstDay: Temporal.PlainDate.from(firstDay),
  lastDay: Temporal.PlainDate.from(lastDay),
  periodDays,
});

/** Other records that a subscription shows: its customer, the plans before and after it, its open period. */
export type Neighbors = {
  id: string;
  external_customer_id: string;
  plan_code: string;
  plan_amount_cents: bigint;
  plan_amount_currency: string;
  plan_is_in_advance: boolean;
  previous_plan_code: string | null;
  next_plan_code: string | null;
  downgrade_on: Temporal.PlainDate | null;
  period_from: Temporal.Instant | null;
  period_to: Temporal.Instant | null;
};
