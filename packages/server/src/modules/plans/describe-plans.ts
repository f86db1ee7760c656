/** Plans in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../platform/postgres/database.ts";
import { describeSharedTaxes } from "../taxes/index.ts";
import { loadPlans } from "./load-plans.ts";
import { countUses, findCharges } from "./store.ts";
import { type ApiPlan, type PlanRow, type PlanUses, toApiPlan } from "./to-api.ts";

export async function describePlans(tx: Tx, organizationId: string, rows: readonly PlanRow[]): Promise<ApiPlan[]> {
  if (rows.length === 0) return [];
  const { plans, taxesOf } = await loadPlans(tx, organizationId, rows);
  const chargeIds = plans.flatMap(({ terms }) => terms.charges.map(({ id }) => id));
  const charges = await findCharges(tx, organizationId, chargeIds);
  const chargeRows = new Map(charges.map((charge) => [charge.id, charge]));
  const describedTaxes = await describeSharedTaxes(tx, organizationId, [...taxesOf.values()].flat());
  const uses = await loadUses(tx, organizationId, rows);
  return plans.map((plan) =>
    toApiPlan({
      ...plan,
      chargeRows,
      uses: uses(plan.row.id),
      taxesOf: (id) => describedTaxes(taxesOf.get(id) ?? []),
    }),
  );
}

async function loadUses(
  tx: Tx,
  organizationId: string,
  rows: readonly PlanRow[],
): Promise<(planId: string) => PlanUses> {
  const ids = rows.map(({ id }) => id);
  const counts = new Map((await countUses(tx, organizationId, ids)).map((count) => [count.plan_id, count]));
  return (planId) => ({
    customers_count: Number(counts.get(planId)?.customers ?? 0),
    active_subscriptions_count: Number(counts.get(planId)?.subscriptions ?? 0),
    // Invoices do not exist yet.
    draft_invoices_count: 0,
  });
}

export async function describePlan(tx: Tx, organizationId: string, row: PlanRow): Promise<ApiPlan> {
  const [plan] = await describePlans(tx, organizationId, [row]);
  assert(plan, "a row has a description");
  return plan;
}
