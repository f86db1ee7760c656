/** Plans in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../platform/postgres/database.ts";
import { describeSharedTaxes } from "../taxes/index.ts";
import { loadPlans } from "./load-plans.ts";
import { findCharges } from "./store.ts";
import { type ApiPlan, type PlanRow, toApiPlan } from "./to-api.ts";

export async function describePlans(tx: Tx, organizationId: string, rows: readonly PlanRow[]): Promise<ApiPlan[]> {
  if (rows.length === 0) return [];
  const { plans, taxesOf } = await loadPlans(tx, organizationId, rows);
  const chargeIds = plans.flatMap(({ terms }) => terms.charges.map(({ id }) => id));
  const charges = await findCharges(tx, organizationId, chargeIds);
  const chargeRows = new Map(charges.map((charge) => [charge.id, charge]));
  const describedTaxes = await describeSharedTaxes(tx, organizationId, [...taxesOf.values()].flat());
  return plans.map((plan) =>
    toApiPlan({
      ...plan,
      chargeRows,
      taxesOf: (id) => describedTaxes(taxesOf.get(id) ?? []),
    }),
  );
}

export async function describePlan(tx: Tx, organizationId: string, row: PlanRow): Promise<ApiPlan> {
  const [plan] = await describePlans(tx, organizationId, [row]);
  assert(plan, "a row has a description");
  return plan;
}
