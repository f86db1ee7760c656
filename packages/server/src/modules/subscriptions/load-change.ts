/** The effect of a plan change on charges on recurring metrics, based on the charges of both plans at that moment. */
import { isRecurring } from "@tallystick/core/catalog";
import {
  type Accepted,
  type Active,
  changePlan,
  type PlanChange,
  type Terminated,
} from "@tallystick/core/subscription";
import type { Batch } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { loadPriceList, type PriceList } from "../catalogue/index.ts";
import { findPassedAt } from "./look-ups/store.ts";
import type { Scope } from "./scope.ts";

type Plans = {
  oldPlanId: string;
  planId: string;
  /**
   * The external id, if a request changes the plan now. Null if the change was due: then events at that instant belong to the new plan.
   */
  changedNow: string | null;
};

/** Returns the successor with what it takes over. */
export async function loadChange(
  batch: Batch,
  { organizationId }: Pick<Scope, "organizationId">,
  { old, successor }: { old: Terminated; successor: Active },
  { oldPlanId, planId, changedNow }: Plans,
): Promise<{ change: PlanChange; successor: Active }> {
  const [before, after] = [
    await loadPriceList(batch, organizationId, oldPlanId),
    await loadPriceList(batch, organizationId, planId),
  ];
  const change = changePlan(
    { subscription: old, charges: before.plan.charges },
    { subscription: successor, charges: after.plan.charges },
    changedNow === null
      ? null
      : await findAccepted(batch.tx, { organizationId, externalId: changedNow, at: old.terminatedAt }, [before, after]),
  );
  return { change, successor: { ...successor, takeover: change.takeover } };
}

/**
 * The advance fees have processed these events by the old plan, and will process the others at that instant by the new one: the customer
 * is locked.
 */
function findAccepted(
  tx: Tx,
  { organizationId, externalId, at }: { organizationId: string; externalId: string; at: Temporal.Instant },
  plans: readonly PriceList[],
): Promise<Accepted | null> {
  const metrics = plans.flatMap(({ plan }) => plan.charges.map(({ metric }) => metric));
  const codes = metrics.filter(({ aggregation }) => isRecurring(aggregation)).map(({ code }) => code);
  return findPassedAt(tx, organizationId, { externalId, codes, at });
}
