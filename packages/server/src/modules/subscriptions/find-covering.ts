/** The subscription of an event, and the period in which the event is billed. */
import assert from "node:assert/strict";
import { type Accepted, acceptedBeforeWindow, usageWindowAt } from "@tallystick/core/subscription";
import type { UsageWindow } from "@tallystick/core/usage";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findSubscription } from "./find-subscription.ts";
import { toCore } from "./row.ts";
import { findChargesPeriod, findLive, findLivingAt } from "./store.ts";

export type Moment = { externalId: string; at: Temporal.Instant };

export type CoveringSubscription = {
  id: string;
  externalId: string;
  customerId: string;
  planId: string;
  /** First start of this customer's subscriptions with this external id. */
  firstStartedAt: Temporal.Instant;
  /** The whole period: a later end of the subscription does not shorten it. */
  window: UsageWindow;
  /** Events from then on are not part of it, even within the window. */
  endedAt: Temporal.Instant | null;
  /** Events at the exact start of the window that were accepted before the plan changed. */
  acceptedBefore: Accepted | null;
};

/** The customer of the subscription that was active at the moment or, if there was none, now. What is due may still change that. */
export async function findSubscriber(tx: Tx, organizationId: string, moment: Moment): Promise<string | undefined> {
  const [living] = await findLivingAt(tx, organizationId, [moment]);
  if (living) return living.customer_id;
  const [live] = await findLive(tx, organizationId, moment.externalId);
  return live?.row.customer_id;
}

/** Undefined if no subscription with the external id was active then, or if billing began with a later period. */
export async function findCovering(
  tx: Tx,
  organizationId: string,
  { externalId, at }: Moment,
): Promise<CoveringSubscription | undefined> {
  const [living] = await findLivingAt(tx, organizationId, [{ externalId, at }]);
  const stored = living && (await findSubscription(alone(tx), organizationId, living.id));
  if (!stored) return undefined;
  const subscription = toCore(stored);
  assert(
    subscription.status === "active" || subscription.status === "terminated",
    "a subscription that was active has begun",
  );
  const past = await findChargesPeriod(tx, organizationId, { subscriptionId: stored.row.id, at });
  const window = usageWindowAt(subscription, at, past ?? null);
  const { id, customer_id: customerId, plan_id: planId } = stored.row;
  const { firstStartedAt } = subscription;
  const endedAt = subscription.status === "terminated" ? subscription.terminatedAt : null;
  if (!window) return undefined;
  const acceptedBefore = acceptedBeforeWindow(subscription, window);
  return { id, externalId, customerId, planId, firstStartedAt, window, endedAt, acceptedBefore };
}
