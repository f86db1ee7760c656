/** Makes any change of a subscription: for a preview, whose transaction is rolled back. */

import assert from "node:assert/strict";
import type { Downgrade } from "@tallystick/core/subscription";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomer, findCustomerById, holdCustomer } from "../customers/index.ts";
import { changeSubscription, endSubscription } from "./change-subscription.ts";
import { subscriptionErrors } from "./errors.ts";
import { findSubscription } from "./find-subscription.ts";
import { openScope } from "./open-scope.ts";
import type { SubscriptionChange } from "./read-preview.ts";
import { toCore } from "./row.ts";
import type { LifeDeps } from "./scope.ts";
import { findByExternalId, findDowngrade, findLive } from "./store.ts";
import { subscribe } from "./subscribe.ts";

/** Whose subscription it is, locked, with what is due for it done. undefined: the change creates the customer. */
type Held = { customerId: string; externalCustomerId: string } | undefined;

export async function holdCustomerOf(
  tx: Tx,
  organizationId: string,
  change: SubscriptionChange,
  deps: LifeDeps,
): Promise<Held> {
  const found = await findCustomerOf(tx, organizationId, change);
  const locked = found && (await holdCustomer(tx, organizationId, found, deps.clock));
  if (!locked) {
    if (change.type === "subscribe" && change.externalCustomerId !== null) return undefined;
    throw subscriptionErrors.problem("subscription_not_found");
  }
  await openScope(tx, locked, deps);
  return { customerId: locked.row.id, externalCustomerId: locked.row.external_id };
}

async function findCustomerOf(tx: Tx, organizationId: string, change: SubscriptionChange) {
  if (change.type === "subscribe" && change.externalCustomerId !== null)
    return findCustomer(tx, organizationId, change.externalCustomerId);
  const row =
    change.type === "subscribe"
      ? (await findLive(tx, organizationId, change.request.externalId))[0]?.row
      : await findByExternalId(tx, organizationId, change.addressed);
  return row && findCustomerById(tx, organizationId, row.customer_id);
}

type MadeChange = { customerId: string; takesEffectAt: Temporal.Instant };

export async function makeChange(
  tx: Tx,
  organizationId: string,
  { change, held }: { change: SubscriptionChange; held: Held },
  deps: LifeDeps,
): Promise<MadeChange> {
  const id = await make(tx, organizationId, { change, held }, deps);
  const stored = await findSubscription(alone(tx), organizationId, id);
  assert(stored, "the change returned its subscription");
  const customer = await findCustomerById(tx, organizationId, stored.row.customer_id);
  const locked = customer && (await holdCustomer(tx, organizationId, customer, deps.clock));
  assert(locked, "a subscription has a customer");
  const waiting = await findDowngrade(tx, organizationId, id);
  const state = toCore(stored);
  const effect = { waiting: waiting ? (toCore(waiting) as Downgrade) : null, state, now: locked.now };
  return { customerId: locked.row.id, takesEffectAt: effectOf(change, effect) };
}

function make(
  tx: Tx,
  organizationId: string,
  { change, held }: { change: SubscriptionChange; held: Held },
  deps: LifeDeps,
): Promise<string> {
  switch (change.type) {
    case "subscribe": {
      const externalCustomerId = change.externalCustomerId ?? held?.externalCustomerId ?? "";
      return subscribe(tx, organizationId, { ...change.request, externalCustomerId }, deps);
    }
    case "update":
      // Drafts are repriced by a job, so nothing of it would be shown.
      return changeSubscription(tx, organizationId, change, { ...deps, onApplied: async () => undefined });
    case "end":
      return endSubscription(tx, organizationId, change, deps);
  }
}

type Effect = { waiting: Downgrade | null; state: ReturnType<typeof toCore>; now: Temporal.Instant };

/** The instant from which what is billed differs. */
function effectOf(change: SubscriptionChange, { waiting, state, now }: Effect): Temporal.Instant {
  if (change.type === "update") {
    const { overrides, endingAt } = change.request;
    if (state.status === "pending") return state.origin === "new" ? state.subscriptionAt : now;
    return overrides === null && endingAt ? endingAt : now;
  }
  if (change.type === "end") return now;
  if (state.status === "pending" && state.origin === "new") return state.subscriptionAt;
  return waiting?.takesOverAt ?? now;
}
