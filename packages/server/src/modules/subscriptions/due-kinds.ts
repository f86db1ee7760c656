/** The scheduled steps in the life of a subscription, each at its own instant. */
import assert from "node:assert/strict";
import {
  type Active,
  activate,
  closePeriod,
  type Downgrade,
  DUE_KINDS,
  dueInstants,
  endTrial,
  periodicBill,
  takeDowngrade,
  terminate,
  trialEndBill,
} from "@tallystick/core/subscription";
import { type Due, type DueKind, type RunDue, runDuesOfCustomer } from "../../jobs/due.ts";
import type { ParkedObject } from "../../jobs/parking.ts";
import { alone, type Batch } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { effectsAside } from "./effects-aside.ts";
import { findSubscription } from "./find-subscription.ts";
import { loadPast } from "./load-chain.ts";
import { loadChange } from "./load-change.ts";
import { type StoredSubscription, toCore } from "./row.ts";
import { addBill, begin, drop, end, openPeriods, saveState, schedule, tell } from "./save-step.ts";
import type { LifeDeps, Scope } from "./scope.ts";
import { findDowngrade } from "./store.ts";

type Kind = (typeof DUE_KINDS)[number];

/** An active subscription with a due row, and the downgrade that waits for it. */
type Taken = {
  stored: StoredSubscription;
  active: Active;
  waiting: StoredSubscription | undefined;
  next: Downgrade | null;
};
type Handler = (batch: Batch, scope: Scope, taken: Taken) => Promise<void>;

/** The gaps are for what other modules do at the same instant. */
const RANKS: Record<Kind, number> = {
  activation: 10,
  ending: 30,
  downgrade: 40,
  period_end: 50,
  trial_end: 60,
  termination_alert: 100,
};

/** Whether a due kind changes the state of a subscription, so that later steps depend on it. */
export const isLifeStep = (kind: string): boolean => kind !== "termination_alert" && kind in RANKS;

type Effects = Omit<LifeDeps, "registry">;

/** They change the state of a subscription, not amounts, so none of them waits for late usage: the bills do. */
export const subscriptionDueKinds = (effects: Effects): DueKind[] =>
  DUE_KINDS.map((kind) => ({
    kind,
    rank: RANKS[kind],
    settles: false,
    overtakes: true,
    parks: { kind: "invoice", objectOf: subscriptionOf },
    run: runKind(kind, effects),
    runAside: (setAside) => runKind(kind, effectsAside(effects, setAside)),
  }));

const runKind =
  (kind: Kind, { clock, onBilled, onEnded }: Effects): RunDue =>
  async (batch, due, registry) => {
    const { organizationId, subjectId, customerId, testClockId, dueAt: now } = due;
    const stored = await findSubscription(batch, organizationId, subjectId);
    assert(stored && customerId, "a due row of a subscription has a subscription and a customer");
    const scope = {
      organizationId,
      customer: { id: customerId, testClockId },
      now,
      dueAt: now,
      clock,
      registry,
      onBilled,
      onEnded,
    };
    if (kind === "activation") return takeActivation(batch, scope, stored);
    await HANDLERS[kind](batch, scope, await loadTaken(batch.tx, stored, due));
  };

async function subscriptionOf(tx: Tx, { organizationId, subjectId: id }: Due): Promise<ParkedObject> {
  const stored = await findSubscription(alone(tx), organizationId, id);
  return { type: "subscription", id, externalId: stored?.row.external_id ?? null };
}

/** Before a decision about a customer: runs what is due for its subscriptions, so that a worker's delay does not change the outcome. */
export async function takeDue(tx: Tx, { organizationId, customer, now, registry, clock }: Scope): Promise<void> {
  const scope = { organizationId, customerId: customer.id };
  await runDuesOfCustomer(tx, registry, scope, { until: now, kinds: DUE_KINDS, now: clock.now() });
}

async function loadTaken(tx: Tx, stored: StoredSubscription, due: Due): Promise<Taken> {
  const active = toCore(stored);
  assert(active.status === "active", "only an active subscription has something due");
  const waiting = stored.isReplaced ? await findDowngrade(tx, due.organizationId, stored.row.id) : undefined;
  const next = waiting ? (toCore(waiting) as Downgrade) : null;
  const isListed = dueInstants(active, next, due.dueAt).some(
    ({ kind, at }) => kind === due.kind && at.equals(due.dueAt),
  );
  assert(isListed, `${due.kind} at ${due.dueAt} is not the next step of the subscription`);
  return { stored, active, waiting, next };
}

async function takeActivation(batch: Batch, scope: Scope, stored: StoredSubscription): Promise<void> {
  const upcoming = toCore(stored);
  assert(upcoming.status === "pending" && upcoming.origin === "new", "only a pending subscription is activated");
  const active = activate(upcoming, await loadPast(batch.tx, scope, stored.row.external_id));
  await saveState(batch, scope, stored, active);
  await begin(batch, scope, active, { id: stored.row.id, invoiceKey: stored.row.id });
}

const HANDLERS: Record<Exclude<Kind, "activation">, Handler> = {
  ending: async (batch, scope, { stored, active, waiting, next }) => {
    const { ended, canceled } = terminate(active, next, scope.now);
    await end(batch, scope, stored, { ended });
    if (waiting && canceled) await drop(batch, scope, waiting, canceled);
  },

  downgrade: async (batch, scope, { stored, active, waiting, next }) => {
    assert(waiting && next, "a downgrade that is due waits");
    const { old, successor: begun } = takeDowngrade(active, next);
    const plans = { oldPlanId: stored.row.plan_id, planId: waiting.row.plan_id, changedNow: null };
    const { change, successor } = await loadChange(batch, scope, { old, successor: begun }, plans);
    await end(batch, scope, stored, { ended: old, change });
    await saveState(batch, scope, waiting, successor);
    await begin(batch, scope, successor, { id: waiting.row.id, invoiceKey: stored.row.id });
  },

  period_end: async (batch, scope, { stored, active, next }) => {
    const { id } = stored.row;
    await addBill(batch, scope, periodicBill(active), {
      subscriptionId: id,
      invoiceKey: scope.customer.id,
      at: scope.now,
    });
    const subscription = closePeriod(active);
    await openPeriods(batch, scope, id, { before: stored.open, after: subscription });
    await schedule(batch, scope, id, { subscription, next });
  },

  trial_end: async (batch, scope, { stored, active, next }) => {
    const { id } = stored.row;
    await addBill(batch, scope, trialEndBill(active), { subscriptionId: id, invoiceKey: id, at: scope.now });
    const subscription = endTrial(active);
    await saveState(batch, scope, stored, subscription);
    await schedule(batch, scope, id, { subscription, next });
    await tell(batch, scope, id, "subscription.trial_ended");
  },

  termination_alert: (batch, scope, { stored }) => tell(batch, scope, stored.row.id, "subscription.termination_alert"),
};
