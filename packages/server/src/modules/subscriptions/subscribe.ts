/** POST /subscriptions: a new subscription, or another plan for the subscription with the external_id. */
import type { Members } from "@tallystick/core/catalog";
import { type AtEndRequest, decideSubscribe, type SubscribeDecision } from "@tallystick/core/subscription";
import type { BillingTime } from "@tallystick/core/time";
import { accept, invalid } from "../../http/problem.ts";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findOrganization } from "../accounts/index.ts";
import { findPlanFrame, holdPlan, type PlanRow, planErrors, saveOverrides } from "../catalogue/index.ts";
import { holdCustomerByExternalId, holdOrCreateCustomer, updateCustomer } from "../customers/index.ts";
import { takeDue } from "./due-kinds.ts";
import { subscriptionErrors } from "./errors.ts";
import { type LoadedChain, loadChain, loadPast } from "./load-chain.ts";
import { loadChange } from "./load-change.ts";
import { openScope } from "./open-scope.ts";
import { addSubscription, begin, drop, end, saveState, schedule, tell } from "./save-step.ts";
import type { LifeDeps, Scope } from "./scope.ts";
import { updateSubscription } from "./store.ts";

export type SubscribeRequest = {
  externalCustomerId: string;
  externalId: string;
  planCode: string;
  name: string | undefined;
  billingTime: BillingTime;
  /** null: now. */
  subscriptionAt: Temporal.Instant | null;
  /** undefined: absent. */
  endingAt: Temporal.Instant | null | undefined;
  atEnd: AtEndRequest;
  overrides: Members | null;
};

/** Returns the id of the subscription that the response shows: the active one or, if there is none, the pending one. */
export async function subscribe(
  tx: Tx,
  organizationId: string,
  request: SubscribeRequest,
  deps: LifeDeps,
): Promise<string> {
  const known = await holdCustomerByExternalId(tx, organizationId, request.externalCustomerId, deps.clock);
  const taken = { external_id: ["value_already_exist"] };
  if (!known && (await loadChain(tx, organizationId, request.externalId))) throw invalid(taken);
  // A new customer is created late: its number blocks the creation of other customers until this transaction ends.
  const now = deps.clock.now();
  const prepared = known ? undefined : await preparePlan(tx, { organizationId, now, madeAt: now }, request);
  const locked = known ?? (await holdOrCreateCustomer(tx, organizationId, request.externalCustomerId, deps.clock));
  const scope = await openScope(tx, locked, deps);
  const loaded = await loadChain(tx, organizationId, request.externalId);
  if (loaded && loaded.current.row.customer_id !== scope.customer.id) throw invalid(taken);
  const planRow = prepared ?? (await preparePlan(tx, { ...scope, madeAt: madeAtOf(scope) }, request));
  const plan = await findPlanFrame(tx, organizationId, planRow.id);
  await keepOneCurrency(tx, scope, locked.row.currency, plan.currency);
  const { timezone } = await findOrganization(alone(tx), organizationId);
  const decision = accept(
    decideSubscribe(
      { ...request, plan, isOverridden: request.overrides !== null },
      {
        now: scope.now,
        timeZone: locked.row.timezone ?? timezone,
        chain: loaded?.chain ?? null,
        past: await loadPast(tx, scope, request.externalId),
      },
    ),
  );
  const id = await save(tx, scope, decision, { request, planId: planRow.id, loaded });
  await takeDue(tx, scope);
  return id;
}

/** The listed plan, or one derived from it for this subscription. */
async function preparePlan(
  tx: Tx,
  { organizationId, now, madeAt }: Pick<Scope, "organizationId" | "now"> & { madeAt: Temporal.Instant },
  request: SubscribeRequest,
): Promise<PlanRow> {
  const row = await holdPlan(tx, organizationId, request.planCode);
  if (!row) throw planErrors.problem("plan_not_found", [request.planCode]);
  if (request.overrides === null) return row;
  return saveOverrides(tx, organizationId, { row, overrides: request.overrides, isRunning: false, madeAt }, now);
}

/** The real time of the request. */
export const madeAtOf = ({ customer, now, clock }: Scope): Temporal.Instant =>
  customer.testClockId === null ? now : clock.now();

/** A customer has one currency: the first subscription sets it. */
export async function keepOneCurrency(
  tx: Tx,
  { organizationId, customer, clock }: Scope,
  current: string | null,
  currency: string,
): Promise<void> {
  if (current === currency) return;
  if (current !== null) throw subscriptionErrors.invalid("currency", "currencies_does_not_match");
  await updateCustomer(tx, organizationId, customer.id, { currency, updated_at: clock.now() });
}

type Requested = { request: SubscribeRequest; planId: string; loaded: LoadedChain | undefined };

async function save(tx: Tx, scope: Scope, decision: SubscribeDecision, requested: Requested): Promise<string> {
  const { request, planId, loaded } = requested;
  const { externalId } = request;
  if (decision.type === "created") {
    const { subscription } = decision;
    const name = request.name ?? "";
    const id = await addSubscription(tx, scope, { subscription, externalId, planId, previousId: null, name });
    if (subscription.status === "active") await begin(alone(tx), scope, subscription, { id, invoiceKey: id });
    else await schedule(alone(tx), scope, id, { subscription, next: null });
    return id;
  }
  if (!loaded) throw new Error("core changes only what exists");
  const { current } = loaded;
  if (decision.type === "plan_switched") {
    await saveState(alone(tx), scope, current, decision.subscription);
    await updateSubscription(tx, scope.organizationId, current.row.id, { plan_id: planId });
    await tell(alone(tx), scope, current.row.id, "subscription.updated");
  }
  if (decision.type === "downgrade_awaited")
    await saveDowngrade(tx, scope, decision, { planId, name: request.name, loaded });
  if (decision.type === "upgraded") return saveUpgrade(tx, scope, decision, { planId, name: request.name, loaded });
  return current.row.id;
}

type Named = { planId: string; name: string | undefined; loaded: LoadedChain };
type Awaited = Extract<SubscribeDecision, { type: "downgrade_awaited" }>;

async function saveDowngrade(
  tx: Tx,
  scope: Scope,
  { next: awaited, canceled }: Awaited,
  { planId, name, loaded: { chain, current, next } }: Named,
): Promise<void> {
  if (next && canceled) await drop(alone(tx), scope, next, canceled);
  await addSubscription(tx, scope, {
    subscription: awaited,
    externalId: current.row.external_id,
    planId,
    previousId: current.row.id,
    name: name ?? current.row.name,
  });
  await schedule(alone(tx), scope, current.row.id, { subscription: chain.current, next: awaited });
  await tell(alone(tx), scope, current.row.id, "subscription.updated");
}

type Upgraded = Extract<SubscribeDecision, { type: "upgraded" }>;

/** The waiting downgrade goes first: the new subscription may be on the same plan. */
export async function saveUpgrade(
  tx: Tx,
  scope: Scope,
  { old, successor: begun, canceled }: Upgraded,
  { planId, name, loaded: { current, next } }: Named,
): Promise<string> {
  if (next && canceled) await drop(alone(tx), scope, next, canceled);
  const plans = { oldPlanId: current.row.plan_id, planId, changedNow: current.row.external_id };
  const { change, successor } = await loadChange(alone(tx), scope, { old, successor: begun }, plans);
  await end(alone(tx), scope, current, { ended: old, change });
  const id = await addSubscription(tx, scope, {
    subscription: successor,
    externalId: current.row.external_id,
    planId,
    previousId: current.row.id,
    name: name ?? current.row.name,
  });
  await begin(alone(tx), scope, successor, { id, invoiceKey: current.row.id });
  return id;
}
