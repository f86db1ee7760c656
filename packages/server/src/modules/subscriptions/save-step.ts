/** Saves a step in the life of a subscription: its row, periods, bills, messages, and what is due next. */
import {
  type Active,
  type Bill,
  type Canceled,
  type Downgrade,
  dueInstants,
  type PlanChange,
  type Subscription,
  startingBill,
  type Terminated,
  terminatingBill,
} from "@tallystick/core/subscription";
import { rescheduleDues } from "../../jobs/due.ts";
import { publish } from "../../jobs/outbox.ts";
import { newId } from "../../platform/new-id.ts";
import { alone, type Batch } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { describeForMessage } from "./describe-subscriptions.ts";
import { type StoredSubscription, toColumns } from "./row.ts";
import type { Scope } from "./scope.ts";
import { insertBills, insertPeriods, insertSubscription, updateSubscription } from "./store.ts";

/** Bills for these reasons wait, so that usage sent in the last seconds is included. */
const SETTLING: readonly Bill["reason"][] = ["periodic", "terminating"];

type NewSubscription = {
  subscription: Subscription;
  externalId: string;
  planId: string;
  previousId: string | null;
  name: string;
};

export async function addSubscription(
  tx: Tx,
  scope: Scope,
  { subscription, externalId, planId, previousId, name }: NewSubscription,
): Promise<string> {
  const { organizationId, customer, now } = scope;
  const id = newId();
  await insertSubscription(tx, organizationId, {
    ...toColumns(subscription),
    id,
    customer_id: customer.id,
    external_id: externalId,
    plan_id: planId,
    previous_subscription_id: previousId,
    name,
    created_at: now,
    updated_at: now,
  });
  await openPeriods(alone(tx), scope, id, { before: undefined, after: subscription });
  return id;
}

export async function saveState(
  batch: Batch,
  scope: Scope,
  stored: StoredSubscription,
  after: Subscription,
): Promise<void> {
  const { id } = stored.row;
  const columns = { ...toColumns(after, stored.row), updated_at: scope.now };
  await updateSubscription(batch.tx, scope.organizationId, id, columns);
  await openPeriods(batch, scope, id, { before: stored.open, after });
}

/** Inserts a row for each period that was not open before. */
export async function openPeriods(
  batch: Batch,
  { organizationId, now }: Scope,
  id: string,
  { before, after }: { before: StoredSubscription["open"]; after: Subscription },
): Promise<void> {
  if (after.status !== "active") return;
  const periods = (["fee", "charges"] as const)
    .map((kind) => ({ subscriptionId: id, kind, period: after.open[kind], now }))
    .filter(({ kind, period }) => !before?.[kind].from.equals(period.from));
  await insertPeriods(batch, organizationId, periods);
}

type Occasion = {
  subscriptionId: string;
  /** Bills with the same customer, instant and key are on one invoice. */
  invoiceKey: string;
  at: Temporal.Instant;
};

export async function addBill(
  batch: Batch,
  { organizationId, customer, dueAt, registry, clock, onBilled }: Scope,
  bill: Bill | null,
  { subscriptionId, invoiceKey, at }: Occasion,
): Promise<void> {
  if (bill === null) return;
  const waits = SETTLING.includes(bill.reason) && customer.testClockId === null;
  const id = newId();
  const readyAt = waits ? at.add(registry.settleDelay) : at;
  const row = {
    bill,
    id,
    customer_id: customer.id,
    subscription_id: subscriptionId,
    occurred_at: at,
    ready_at: readyAt,
    invoice_key: invoiceKey,
    created_at: clock.now(),
  };
  await insertBills(batch, organizationId, [row]);
  const occasion = { reason: bill.reason, occurredAt: at, readyAt, invoiceKey, pricedAt: dueAt };
  await onBilled(batch, organizationId, { id, subscriptionId, customer, ...occasion }, registry);
}

/** Schedules the next steps of the subscription. */
export async function schedule(
  batch: Batch,
  { organizationId, customer, now, registry }: Scope,
  id: string,
  { subscription, next }: { subscription: Subscription; next: Downgrade | null },
): Promise<void> {
  await rescheduleDues(batch, registry, organizationId, {
    subjectId: id,
    customer,
    dues: dueInstants(subscription, next, now).map(({ kind, at }) => ({ kind, dueAt: at })),
  });
}

/** Its row and periods are saved. A successor begins where its predecessor ended; any other subscription is billed now. */
export async function begin(
  batch: Batch,
  scope: Scope,
  active: Active,
  { id, invoiceKey }: { id: string; invoiceKey: string },
): Promise<void> {
  const at = id === invoiceKey ? scope.now : active.startedAt;
  await addBill(batch, scope, startingBill(active), { subscriptionId: id, invoiceKey, at });
  await schedule(batch, scope, id, { subscription: active, next: null });
  await tell(batch, scope, id, "subscription.started");
}

/** `change`: the effect of a successor's plan on recurring charges. */
export async function end(
  batch: Batch,
  scope: Scope,
  stored: StoredSubscription,
  { ended, change = null }: { ended: Terminated; change?: PlanChange | null },
): Promise<void> {
  const { id } = stored.row;
  await saveState(batch, scope, stored, ended);
  const occasion = { subscriptionId: id, invoiceKey: id, at: ended.terminatedAt };
  await addBill(batch, scope, terminatingBill(ended, change), occasion);
  // First, because it replaces what is due for the subscription, and its end may make something due.
  await schedule(batch, scope, id, { subscription: ended, next: null });
  const { organizationId, customer, registry } = scope;
  const returned = change?.returned ?? [];
  await scope.onEnded(batch, { organizationId, subscriptionId: id, customer, ended, returned }, registry);
  await tell(batch, scope, id, "subscription.terminated");
}

export async function drop(batch: Batch, scope: Scope, stored: StoredSubscription, canceled: Canceled): Promise<void> {
  const { id } = stored.row;
  await saveState(batch, scope, stored, canceled);
  await schedule(batch, scope, id, { subscription: canceled, next: null });
  await tell(batch, scope, id, "subscription.terminated");
  await tell(batch, scope, id, "subscription.canceled");
}

type LifeMessage =
  | "subscription.started"
  | "subscription.updated"
  | "subscription.canceled"
  | "subscription.terminated"
  | "subscription.trial_ended"
  | "subscription.termination_alert";

/** Messages use real time, whatever clock the customer uses. */
export async function tell(batch: Batch, scope: Scope, id: string, webhookType: LifeMessage): Promise<void> {
  const object = await describeForMessage(batch, scope.organizationId, { id, customerId: scope.customer.id });
  const once = webhookType !== "subscription.termination_alert" && webhookType !== "subscription.updated";
  const change = { webhookType, objectType: "subscription", objectId: id, object, once };
  await publish(batch, scope.organizationId, change, scope.clock.now());
}
