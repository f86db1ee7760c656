/** The subscriptions under an external id, in the form that core uses for decisions. */
import assert from "node:assert/strict";
import type { Chain, Downgrade, Past } from "@tallystick/core/subscription";
import type { Tx } from "../../platform/postgres/database.ts";
import { type StoredSubscription, toCore } from "./row.ts";
import type { PastScope } from "./scope.ts";
import { findLive, findPast } from "./store.ts";

export type LoadedChain = {
  chain: Chain;
  current: StoredSubscription;
  next: StoredSubscription | undefined;
};

/** For any customer: the caller checks whether it is the right one. */
export async function loadChain(tx: Tx, organizationId: string, externalId: string): Promise<LoadedChain | undefined> {
  const [current, next] = await findLive(tx, organizationId, externalId);
  if (!current) return undefined;
  const state = toCore(current);
  if (state.status === "active") {
    return { chain: { current: state, next: next ? (toCore(next) as Downgrade) : null }, current, next };
  }
  assert(state.status === "pending" && state.origin === "new", "a downgrade waits for an active subscription");
  return { chain: { current: state, next: null }, current, next };
}

/** The ended subscriptions under the external id. */
export async function loadPast(tx: Tx, scope: PastScope, externalId: string): Promise<Past | null> {
  const past = await findPast(tx, scope, externalId);
  return past?.billedUntil ? { firstStartedAt: past.firstStartedAt, billedUntil: past.billedUntil } : null;
}
