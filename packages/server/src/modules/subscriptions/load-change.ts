/** What a change of plan means for charges on recurring metrics, by the charges that both plans have at that moment. */
import { type Active, changePlan, type PlanChange, type Terminated } from "@tallystick/core/subscription";
import type { Tx } from "../../platform/postgres/database.ts";
import { loadPriceList } from "../catalogue/index.ts";
import type { Scope } from "./scope.ts";

type Plans = { oldPlanId: string; planId: string };

/** The successor comes back with what it takes over. */
export async function loadChange(
  tx: Tx,
  { organizationId }: Pick<Scope, "organizationId">,
  { old, successor }: { old: Terminated; successor: Active },
  { oldPlanId, planId }: Plans,
): Promise<{ change: PlanChange; successor: Active }> {
  const [before, after] = [
    await loadPriceList(tx, organizationId, oldPlanId),
    await loadPriceList(tx, organizationId, planId),
  ];
  const change = changePlan(
    { subscription: old, charges: before.plan.charges },
    { subscription: successor, charges: after.plan.charges },
  );
  return { change, successor: { ...successor, takeover: change.takeover } };
}
