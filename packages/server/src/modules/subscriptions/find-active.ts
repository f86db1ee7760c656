/** The active subscription whose usage is measured. */
import assert from "node:assert/strict";
import type { Active } from "@tallystick/core/subscription";
import type { Tx } from "../../platform/postgres/database.ts";
import { type StoredSubscription, toCore } from "./row.ts";
import { findLive, findLiveOfCustomer } from "./store.ts";

export type ActiveSubscription = {
  id: string;
  externalId: string;
  customerId: string;
  planId: string;
  /** Its first start is that of this customer's subscriptions with this external id. */
  active: Active;
};

/** For any customer: the caller checks whether it is the right one. Nothing is locked. */
export async function findActiveSubscription(
  tx: Tx,
  organizationId: string,
  externalId: string,
): Promise<ActiveSubscription | undefined> {
  const [current] = await findLive(tx, organizationId, externalId);
  return current?.row.status === "active" ? toActive(current) : undefined;
}

/** All active subscriptions of a customer. */
export async function findActiveOfCustomer(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<ActiveSubscription[]> {
  const live = await findLiveOfCustomer(tx, organizationId, customerId);
  return live.filter(({ row }) => row.status === "active").map(toActive);
}

function toActive(stored: StoredSubscription): ActiveSubscription {
  const active = toCore(stored);
  assert(active.status === "active", "a row and its core form have one status");
  const { id, external_id: externalId, customer_id: customerId, plan_id: planId } = stored.row;
  return { id, externalId, customerId, planId, active };
}
