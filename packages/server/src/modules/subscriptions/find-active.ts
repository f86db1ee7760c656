/** The running subscription that usage is measured for. */
import assert from "node:assert/strict";
import type { Active } from "@tallystick/core/subscription";
import type { Tx } from "../../platform/postgres/database.ts";
import { toCore } from "./row.ts";
import { findLive } from "./store.ts";

export type ActiveSubscription = {
  id: string;
  externalId: string;
  customerId: string;
  planId: string;
  /** Its first start is that of this customer's subscriptions with this external id. */
  active: Active;
};

/** Whoever has it: the caller looks whether it is its customer. Nothing is held. */
export async function findActiveSubscription(
  tx: Tx,
  organizationId: string,
  externalId: string,
): Promise<ActiveSubscription | undefined> {
  const [current] = await findLive(tx, organizationId, externalId);
  if (current?.row.status !== "active") return undefined;
  const active = toCore(current);
  assert(active.status === "active", "a row and what it means have one status");
  const { id, customer_id, plan_id } = current.row;
  return { id, externalId, customerId: customer_id, planId: plan_id, active };
}
