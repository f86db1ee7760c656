/** The plan of a single subscription, with overrides of a listed plan. */
import { changeOverrides, type Members, overridePlan } from "@tallystick/core/catalog";
import { accept } from "../../../http/problem.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { loadPlan, toDefinition } from "./load-plans.ts";
import { saveChangedPlan, saveNewPlan } from "./save-plan.ts";
import { holdMetrics } from "./store.ts";
import type { PlanRow } from "./to-api.ts";

type Overriding = { row: PlanRow; overrides: Members; isRunning: boolean; madeAt: Temporal.Instant };

/**
 * Creates a plan derived from a listed one, or a new version of a derived plan. The caller has locked the plan. `now` is on the clock of
 * the subscriber, `madeAt` on the real one. `isRunning`: the subscription has started.
 */
export async function saveOverrides(
  tx: Tx,
  organizationId: string,
  { row, overrides, isRunning, madeAt }: Overriding,
  now: Temporal.Instant,
): Promise<PlanRow> {
  const loaded = await loadPlan(tx, organizationId, row);
  const metricIds = loaded.terms.charges.map(({ billable_metric_id }) => billable_metric_id);
  await holdMetrics(tx, organizationId, { ids: [...new Set(metricIds)], codes: [] });
  const current = await toDefinition(tx, organizationId, loaded);
  if (row.parent_id === null) {
    const definition = accept(overridePlan(current, overrides, isRunning));
    return saveNewPlan(tx, organizationId, { definition, parentId: row.id, madeAt }, now);
  }
  const requested = accept(changeOverrides(current, overrides, isRunning));
  await saveChangedPlan(tx, organizationId, { loaded, current, requested, madeAt }, now);
  return row;
}
