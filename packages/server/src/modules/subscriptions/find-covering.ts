/** The subscription that an event belongs to, and the period in which it is billed. */
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
  /** Of this customer's subscriptions with this external id. */
  firstStartedAt: Temporal.Instant;
  /** The whole period: an end that came later does not shorten it. */
  window: UsageWindow;
  /** Events from then on are not its own, also within the window. */
  endedAt: Temporal.Instant | null;
  /** What came at the start of the window itself, but before the plan changed. */
  acceptedBefore: Accepted | null;
};

/** Whom the external id names at the moment or, where nobody lived under it then, now: what is due of it may change that. */
export async function findSubscriber(tx: Tx, organizationId: string, moment: Moment): Promise<string | undefined> {
  const [living] = await findLivingAt(tx, organizationId, [moment]);
  if (living) return living.customer_id;
  const [live] = await findLive(tx, organizationId, moment.externalId);
  return live?.row.customer_id;
}

/** None where nobody lived under the external id then, or where billing began with a later period. */
export async function findCovering(
  tx: Tx,
  organizationId: string,
  { externalId, at }: Moment,
): Promise<CoveringSubscription | undefined> {
  const [living] = await findLivingAt(tx, organizationId, [{ externalId, at }]);
  const stored = living && (await findSubscription(alone(tx), organizationId, living.id));
  if (!stored) return undefined;
  const subscription = toCore(stored);
  assert(subscription.status === "active" || subscription.status === "terminated", "what lived has begun");
  const past = await findChargesPeriod(tx, organizationId, { subscriptionId: stored.row.id, at });
  const window = usageWindowAt(subscription, at, past ?? null);
  const { id, customer_id: customerId, plan_id: planId } = stored.row;
  const { firstStartedAt } = subscription;
  const endedAt = subscription.status === "terminated" ? subscription.terminatedAt : null;
  if (!window) return undefined;
  const acceptedBefore = acceptedBeforeWindow(subscription, window);
  return { id, externalId, customerId, planId, firstStartedAt, window, endedAt, acceptedBefore };
}
