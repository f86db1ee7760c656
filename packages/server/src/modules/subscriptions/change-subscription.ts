/** PUT and DELETE /subscriptions/{external_id}. */
import assert from "node:assert/strict";
import type { Members } from "@tallystick/core/catalog";
import {
  type Active,
  type AtEndRequest,
  cancel,
  type Downgrade,
  decideUpdate,
  renameCharges,
  type Subscription,
  terminate,
  withAtEnd,
  withEndOf,
} from "@tallystick/core/subscription";
import { accept } from "../../http/problem.ts";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findPlanFrame, loadPriceList, lockPlanById, recordClocks, saveOverrides } from "../catalogue/index.ts";
import { findCustomerById, holdCustomer } from "../customers/index.ts";
import { takeDue } from "./due-kinds.ts";
import { subscriptionErrors } from "./errors.ts";
import { findSubscription } from "./find-subscription.ts";
import { loadPast } from "./load-chain.ts";
import { openScope } from "./open-scope.ts";
import { type StoredSubscription, type SubscriptionRow, toCore } from "./row.ts";
import { begin, drop, end, saveState, schedule, tell } from "./save-step.ts";
import type { LifeDeps, Scope } from "./scope.ts";
import { findByExternalId, findDowngrade, updateSubscription } from "./store.ts";
import { keepOneCurrency, madeAtOf } from "./subscribe.ts";

export type Addressed = { externalId: string; status: SubscriptionRow["status"] };

export type SubscriptionRequest = {
  name: string | undefined;
  endingAt: Temporal.Instant | null | undefined;
  subscriptionAt: Temporal.Instant | undefined;
  atEnd: AtEndRequest;
  overrides: Members | null;
  /** Whether its bills that are not final get the current prices. */
  appliesToDrafts: boolean;
};

export type ChangeDeps = LifeDeps & {
  /** In the transaction of the change: reprices what is not final for the subscription. */
  onApplied: (tx: Tx, of: { organizationId: string; subscriptionId: string; customerId: string }) => Promise<void>;
};

/** Returns the id of the subscription. */
export async function changeSubscription(
  tx: Tx,
  organizationId: string,
  { addressed, request }: { addressed: Addressed; request: SubscriptionRequest },
  deps: ChangeDeps,
): Promise<string> {
  const { scope, stored: found, currency } = await holdAddressed(tx, organizationId, addressed, deps);
  // First, because whatever begins with this request begins on these terms.
  const stored =
    request.overrides === null
      ? found
      : await overridePlanOf(tx, scope, found, { overrides: request.overrides, currency });
  const before = toCore(stored);
  if (before.status !== "active" && before.status !== "pending")
    throw subscriptionErrors.problem("subscription_not_found");
  const { id } = stored.row;
  const past = await loadPast(tx, scope, stored.row.external_id);
  const after = accept(decideUpdate(before, request, { past, now: scope.now }));
  await saveState(alone(tx), scope, stored, after);
  if (request.name !== undefined) await updateSubscription(tx, organizationId, id, { name: request.name });
  if (before.status === "pending" && after.status === "active")
    await begin(alone(tx), scope, after, { id, invoiceKey: id });
  else
    await schedule(alone(tx), scope, id, {
      subscription: after,
      next: await saveNext(tx, scope, id, { after, request }),
    });
  await tell(alone(tx), scope, id, "subscription.updated");
  await takeDue(tx, scope);
  if (request.appliesToDrafts)
    await deps.onApplied(tx, { organizationId, subscriptionId: id, customerId: scope.customer.id });
  return id;
}

/** Applies to periods that end, or begin, from now on. A trial that has begun stays as it is. */
async function overridePlanOf(
  tx: Tx,
  scope: Scope,
  stored: StoredSubscription,
  { overrides, currency: customerCurrency }: { overrides: Members; currency: string | null },
): Promise<StoredSubscription> {
  const { organizationId, now } = scope;
  const { row } = stored;
  const locked = await lockPlanById(tx, organizationId, row.plan_id);
  const madeAt = madeAtOf(scope);
  const plan = await saveOverrides(
    tx,
    organizationId,
    { row: locked, overrides, isRunning: row.status === "active", madeAt },
    now,
  );
  const { testClockId } = scope.customer;
  if (plan.id !== locked.id && testClockId !== null)
    await recordClocks(tx, organizationId, [{ planId: plan.id, version: plan.version, testClockId, now }]);
  const frame = await findPlanFrame(tx, organizationId, plan.id);
  await keepOneCurrency(tx, scope, customerCurrency, frame.currency);
  await updateSubscription(tx, organizationId, row.id, { plan_id: plan.id });
  const takeover = await takeoverOf(tx, stored, { organizationId, from: locked.id, to: plan.id });
  return { ...stored, row: { ...row, takeover }, plan: frame };
}

/** What the subscription took over from its previous plan stays with its charges, which have new ids in the same order. */
async function takeoverOf(
  tx: Tx,
  stored: StoredSubscription,
  { organizationId, from, to }: { organizationId: string; from: string; to: string },
): Promise<StoredSubscription["row"]["takeover"]> {
  const before = toCore(stored);
  if (before.status !== "active" || before.takeover === null || from === to) return stored.row.takeover;
  const chargesOf = async (planId: string) => (await loadPriceList(alone(tx), organizationId, planId)).plan.charges;
  const [old, own] = [await chargesOf(from), await chargesOf(to)];
  const ids = new Map(old.map(({ id }, index) => [id, own[index]?.id ?? id]));
  return JSON.parse(JSON.stringify(renameCharges(before.takeover, ids)));
}

/** Ends an active subscription now, and cancels a pending one. Returns its id. */
export async function endSubscription(
  tx: Tx,
  organizationId: string,
  { addressed, atEnd }: { addressed: Addressed; atEnd: AtEndRequest },
  deps: LifeDeps,
): Promise<string> {
  const { scope, stored } = await holdAddressed(tx, organizationId, addressed, deps);
  await endStored(tx, scope, stored, atEnd);
  return stored.row.id;
}

const AS_AGREED: AtEndRequest = { creditNote: undefined, invoice: undefined };

/** Ends the live subscription, and the one that waits to replace it. */
export async function endStored(
  tx: Tx,
  scope: Scope,
  stored: StoredSubscription,
  atEnd: AtEndRequest = AS_AGREED,
): Promise<void> {
  const state = withAtEnd(toCore(stored), atEnd);
  if (state.status === "active") {
    const waiting = await findDowngrade(tx, scope.organizationId, stored.row.id);
    const next = waiting ? (toCore(waiting) as Downgrade) : null;
    const { ended, canceled } = terminate(state, next, scope.now);
    await end(alone(tx), scope, stored, { ended });
    if (waiting && canceled) await drop(alone(tx), scope, waiting, canceled);
  } else if (state.status === "pending") {
    await drop(alone(tx), scope, stored, cancel(state, scope.now));
    if (state.origin === "downgrade") await scheduleCurrent(tx, scope, stored);
  } else throw subscriptionErrors.problem("subscription_not_found");
}

/** Its downgrade is gone, so the end of its period is due again. */
async function scheduleCurrent(tx: Tx, scope: Scope, { row }: StoredSubscription): Promise<void> {
  const current = await findSubscription(alone(tx), scope.organizationId, row.previous_subscription_id ?? "");
  assert(current, "a downgrade waits for a subscription");
  await schedule(alone(tx), scope, current.row.id, { subscription: toCore(current) as Active, next: null });
  await tell(alone(tx), scope, current.row.id, "subscription.updated");
}

/** The subscription that waits to replace it gets the same end. */
async function saveNext(
  tx: Tx,
  scope: Scope,
  id: string,
  { after, request }: { after: Subscription; request: SubscriptionRequest },
): Promise<Downgrade | null> {
  const waiting = await findDowngrade(tx, scope.organizationId, id);
  if (!waiting) return null;
  const next = toCore(waiting) as Downgrade;
  if (after.status !== "active") return next;
  const following = withEndOf(next, request);
  await saveState(alone(tx), scope, waiting, following);
  return following;
}

/** Locks the customer and runs what is due. Afterwards the subscription may have another status than the request says. */
async function holdAddressed(
  tx: Tx,
  organizationId: string,
  addressed: Addressed,
  deps: LifeDeps,
): Promise<{ scope: Scope; stored: StoredSubscription; currency: string | null }> {
  const found = await findByExternalId(tx, organizationId, addressed);
  const customer = found && (await findCustomerById(tx, organizationId, found.customer_id));
  const locked = customer && (await holdCustomer(tx, organizationId, customer, deps.clock));
  if (!locked) throw subscriptionErrors.problem("subscription_not_found");
  const scope = await openScope(tx, locked, deps);
  const row = await findByExternalId(tx, organizationId, addressed);
  const stored = row && (await findSubscription(alone(tx), organizationId, row.id));
  if (stored?.row.customer_id !== locked.row.id) throw subscriptionErrors.problem("subscription_not_found");
  return { scope, stored, currency: locked.row.currency };
}
