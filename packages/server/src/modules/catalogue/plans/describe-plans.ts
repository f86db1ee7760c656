/** Plans in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../../platform/postgres/database.ts";
import { countDraftsOfPlans, countSubscriptionsOfPlans } from "../look-ups/index.ts";
import { describeSharedTaxes } from "../taxes/index.ts";
import { loadPlans } from "./load-plans.ts";
import { findCharges } from "./store.ts";
import { type ApiPlan, type NestedPlan, type PlanRow, type PlanUses, toNestedPlan } from "./to-api.ts";

export async function describePlans(tx: Tx, organizationId: string, rows: readonly PlanRow[]): Promise<ApiPlan[]> {
  if (rows.length === 0) return [];
  const uses = await loadUses(tx, organizationId, rows);
  return (await describeNestedPlans(tx, organizationId, rows)).map((plan) => ({ ...plan, ...uses(plan.svc_id) }));
}

async function describeNestedPlans(tx: Tx, organizationId: string, rows: readonly PlanRow[]): Promise<NestedPlan[]> {
  const { plans, taxesOf } = await loadPlans(tx, organizationId, rows);
  const chargeIds = plans.flatMap(({ terms }) => terms.charges.map(({ id }) => id));
  const charges = await findCharges(tx, organizationId, chargeIds);
  const chargeRows = new Map(charges.map((charge) => [charge.id, charge]));
  const describedTaxes = await describeSharedTaxes(tx, organizationId, [...taxesOf.values()].flat());
  return plans.map((plan) =>
    toNestedPlan({ ...plan, chargeRows, taxesOf: (id) => describedTaxes(taxesOf.get(id) ?? []) }),
  );
}

async function loadUses(
  tx: Tx,
  organizationId: string,
  rows: readonly PlanRow[],
): Promise<(planId: string) => PlanUses> {
  const ids = rows.map(({ id }) => id);
  const counts = new Map(
    (await countSubscriptionsOfPlans(tx, organizationId, ids)).rows.map((count) => [count.plan_id, count]),
  );
  const drafts = new Map(
    (await countDraftsOfPlans(tx, organizationId, ids)).rows.map((count) => [count.plan_id, count.drafts]),
  );
  return (planId) => ({
    customers_count: Number(counts.get(planId)?.customers ?? 0),
    active_subscriptions_count: Number(counts.get(planId)?.subscriptions ?? 0),
    draft_invoices_count: Number(drafts.get(planId) ?? 0),
  });
}

export async function describePlan(tx: Tx, organizationId: string, row: PlanRow): Promise<ApiPlan> {
  const [plan] = await describePlans(tx, organizationId, [row]);
  assert(plan, "a row has a description");
  return plan;
}

/** The plan inside another object. */
export async function describeNestedPlan(tx: Tx, organizationId: string, row: PlanRow): Promise<NestedPlan> {
  const [plan] = await describeNestedPlans(tx, organizationId, [row]);
  assert(plan, "a row has a description");
  return plan;
}
