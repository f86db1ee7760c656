/** Creates, changes and deletes plans. */
import { isMembers, type Members, type MetricsById, parsePlan, planAfterUpdate } from "@tallystick/core/catalog";
import { accept, invalid } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { billableMetricErrors, findMetricsById, toCoreMetric } from "../billable-metrics/index.ts";
import { hasSubscriptions } from "../look-ups/index.ts";
import { describePlan } from "./describe-plans.ts";
import { existing } from "./errors.ts";
import { loadPlan, toDefinition } from "./load-plans.ts";
import { saveChangedPlan, saveNewPlan } from "./save-plan.ts";
import { deletePlanRow, findPlan, holdMetrics, lockPlan } from "./store.ts";
import type { ApiPlan } from "./to-api.ts";

export type PlanDeps = {
  clock: Clock;
  /** In the transaction that changes its amount: the effect on subscribers, and on waiting downgrades. */
  onRepriced: (tx: Tx, planId: string) => Promise<void>;
  /** In the transaction that changes the taxes of a plan with subscribers: drafts follow. */
  onTaxesChanged: (tx: Tx, planId: string) => Promise<void>;
  /** In the transaction of an edit that applies to drafts: reprices what the plan prices and is not final. */
  onApplied: (tx: Tx, organizationId: string, planId: string) => Promise<void>;
  /** In the transaction of the deletion: queues the end of its subscriptions. */
  onDeleted: (tx: Tx, planId: string) => Promise<void>;
  /** After the deletion: ends the first subscriptions at once. */
  afterDeleted: (organizationId: string, planId: string) => Promise<void>;
};

export async function createPlan(tx: Tx, organizationId: string, input: Members, clock: Clock): Promise<ApiPlan> {
  const metricIds = namedMetrics(input);
  await holdMetrics(tx, organizationId, metricIds);
  const definition = accept(parsePlan(input, await loadMetrics(tx, organizationId, metricIds)));
  const now = clock.now();
  const row = await saveNewPlan(tx, organizationId, { definition, parentId: null, madeAt: now }, now);
  return describePlan(tx, organizationId, row);
}

export async function changePlan(
  tx: Tx,
  organizationId: string,
  { code, change }: { code: string; change: Members },
  { clock, onRepriced, onTaxesChanged, onApplied }: PlanDeps,
): Promise<ApiPlan> {
  const appliesToDrafts = readFlag(change, "apply_to_drafts");
  const metricIds = namedMetrics(change);
  await holdMetrics(tx, organizationId, metricIds);
  const row = existing(await lockPlan(tx, organizationId, code));
  const metrics = await loadMetrics(tx, organizationId, metricIds);
  const isUsed = await hasSubscriptions(tx, organizationId, row.id);
  const loaded = await loadPlan(tx, organizationId, row);
  const current = await toDefinition(tx, organizationId, loaded);
  const requested = accept(planAfterUpdate(current, change, metrics, isUsed));
  const now = clock.now();
  const saved = await saveChangedPlan(tx, organizationId, { loaded, current, requested, madeAt: now }, now);
  if (isUsed && requested.amountMinor !== current.amountMinor) await onRepriced(tx, row.id);
  if (isUsed && saved.areTaxesChanged) await onTaxesChanged(tx, row.id);
  if (isUsed && appliesToDrafts) await onApplied(tx, organizationId, row.id);
  return describePlan(tx, organizationId, existing(await findPlan(tx, organizationId, requested.code)));
}

/** A member of the request itself: core reads the members of the plan. */
function readFlag(options: Members, member: string): boolean {
  const value = options[member] ?? false;
  if (typeof value !== "boolean") throw invalid({ [member]: ["value_is_invalid"] });
  return value;
}

/** The response shows the plan before the deletion. */
export async function deletePlan(
  tx: Tx,
  organizationId: string,
  code: string,
  { clock, onDeleted }: PlanDeps,
): Promise<ApiPlan> {
  const row = existing(await lockPlan(tx, organizationId, code));
  const described = await describePlan(tx, organizationId, row);
  await deletePlanRow(tx, organizationId, row.id, clock.now());
  await onDeleted(tx, row.id);
  return described;
}

/** The metric ids in the charges of a request. Blank or non-text values are left out: core refuses them. */
function namedMetrics({ charges }: Members): string[] {
  const ids = (Array.isArray(charges) ? charges : []).flatMap((charge: unknown) => {
    const id = isMembers(charge) ? charge.billable_metric_id : undefined;
    return typeof id === "string" && id.trim() !== "" ? [id] : [];
  });
  return [...new Set(ids)];
}

async function loadMetrics(tx: Tx, organizationId: string, ids: readonly string[]): Promise<MetricsById> {
  const rows = await findMetricsById(tx, organizationId, ids);
  const metrics = new Map(rows.map((row) => [row.id, toCoreMetric(row)]));
  if (ids.some((id) => !metrics.has(id))) throw billableMetricErrors.problem("billable_metrics_not_found");
  return metrics;
}
