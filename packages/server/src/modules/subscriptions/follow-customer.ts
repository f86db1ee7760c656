/** Subscriptions follow their customer: they end with it, and change to its new time zone. */
import type { Downgrade } from "@tallystick/core/subscription";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import type { LockedCustomer } from "../customers/index.ts";
import { endStored } from "./change-subscription.ts";
import { takeDue } from "./due-kinds.ts";
import { findSubscription } from "./find-subscription.ts";
import { openScope } from "./open-scope.ts";
import { toCore } from "./row.ts";
import { schedule } from "./save-step.ts";
import { type LifeDeps, type Scope, scopeOf } from "./scope.ts";
import { findLiveOfCustomer, updateSubscription } from "./store.ts";

export const takeDueOf =
  (deps: LifeDeps) =>
  (tx: Tx, customer: LockedCustomer): Promise<void> =>
    takeDue(tx, scopeOf(customer, deps));

/** What was due before has run already. Open periods keep their ends; later ones are computed in the new zone. */
export const moveSubscriptions =
  (deps: LifeDeps) =>
  async (tx: Tx, customer: LockedCustomer, timeZone: string): Promise<void> => {
    const scope = scopeOf(customer, deps);
    const live = await findLiveOfCustomer(tx, scope.organizationId, customer.row.id);
    for (const { row } of live) await updateSubscription(tx, scope.organizationId, row.id, { time_zone: timeZone });
    for (const stored of live) {
      const waiting = live.find(({ row }) => row.previous_subscription_id === stored.row.id);
      const subscription = { ...toCore(stored), timeZone };
      const next = waiting ? ({ ...toCore(waiting), timeZone } as Downgrade) : null;
      await schedule(alone(tx), scope, stored.row.id, { subscription, next });
    }
    await takeDue(tx, scope);
  };

export const endSubscriptionsOf =
  (deps: LifeDeps) =>
  async (tx: Tx, customer: LockedCustomer): Promise<void> => {
    const scope = await openScope(tx, customer, deps);
    await endAll(tx, scope, () => true);
  };

/** Ends the chosen live subscriptions. Each is read in turn: ending one may end another. */
export async function endAll(tx: Tx, scope: Scope, isChosen: (planId: string) => boolean): Promise<void> {
  const { organizationId, customer } = scope;
  for (const { row } of await findLiveOfCustomer(tx, organizationId, customer.id)) {
    const stored = isChosen(row.plan_id) ? await findSubscription(alone(tx), organizationId, row.id) : undefined;
    if (stored && ["active", "pending"].includes(stored.row.status)) await endStored(tx, scope, stored);
  }
}
