/** Creates, changes and deletes plans. */
import { isMembers, type Members, type MetricsById, parsePlan, planAfterUpdate } from "@tallystick/core/catalog";
import type { Precondition } from "../../../http/etags.ts";
import { accept, invalid, invalidMembers } from "../../../http/problem.ts";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findMetricsByCode, findMetricsById, metricsNotFound, toCoreMetric } from "../billable-metrics/index.ts";
import { hasSubscriptions } from "../look-ups/index.ts";
import { describePlan } from "./describe-plans.ts";
import { existing } from "./errors.ts";
import { loadPlan, toDefinition } from "./load-plans.ts";
import { saveChangedPlan, saveNewPlan } from "./save-plan.ts";
import { deletePlanRow, findPlan, holdMetrics, lockPlan, type NamedMetrics } from "./store.ts";
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
  await holdMetrics(tx, organizationId, namedMetrics(input));
  const { members, metrics } = await withMetrics(tx, organizationId, input);
  const definition = accept(parsePlan(members, metrics));
  const now = clock.now();
  const row = await saveNewPlan(tx, organizationId, { definition, parentId: null, madeAt: now }, now);
  return tell(tx, organizationId, "plan.created", { plan: await describePlan(tx, organizationId, row), now });
}

export async function changePlan(
  tx: Tx,
  organizationId: string,
  { code, change, precondition }: { code: string; change: Members; precondition: Precondition },
  { clock, onRepriced, onTaxesChanged, onApplied }: PlanDeps,
): Promise<ApiPlan> {
  const appliesToDrafts = readFlag(change, "apply_to_drafts");
  await holdMetrics(tx, organizationId, namedMetrics(change));
  const row = existing(await lockPlan(tx, organizationId, code));
  await precondition(async () => ({ plan: await describePlan(tx, organizationId, row) }));
  const { members, metrics } = await withMetrics(tx, organizationId, change);
  const isUsed = await hasSubscriptions(tx, organizationId, row.id);
  const loaded = await loadPlan(tx, organizationId, row);
  const current = await toDefinition(tx, organizationId, loaded);
  const requested = accept(planAfterUpdate(current, members, metrics, isUsed));
  const now = clock.now();
  const saved = await saveChangedPlan(tx, organizationId, { loaded, current, requested, madeAt: now }, now);
  if (isUsed && requested.amountMinor !== current.amountMinor) await onRepriced(tx, row.id);
  if (isUsed && saved.areTaxesChanged) await onTaxesChanged(tx, row.id);
  if (isUsed && appliesToDrafts) await onApplied(tx, organizationId, row.id);
  const changed = existing(await findPlan(tx, organizationId, requested.code));
  return tell(tx, organizationId, "plan.updated", { plan: await describePlan(tx, organizationId, changed), now });
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
  const now = clock.now();
  await deletePlanRow(tx, organizationId, row.id, now);
  await onDeleted(tx, row.id);
  return tell(tx, organizationId, "plan.deleted", { plan: described, now });
}

async function tell(
  tx: Tx,
  organizationId: string,
  webhookType: "plan.created" | "plan.updated" | "plan.deleted",
  { plan, now }: { plan: ApiPlan; now: Temporal.Instant },
): Promise<ApiPlan> {
  const once = webhookType !== "plan.updated";
  const change = { webhookType, objectType: "plan", objectId: plan.svc_id, object: plan, once };
  await publish(alone(tx), organizationId, change, now);
  return plan;
}

/** What the charges of a request name their metrics by. */
function namedMetrics({ charges }: Members): NamedMetrics {
  const named = (Array.isArray(charges) ? charges : []).map((charge: unknown) => (isMembers(charge) ? charge : {}));
  return { ids: textsOf(named, "billable_metric_id"), codes: textsOf(named, "billable_metric_code") };
}

/** Each once. Blank or non-text values are left out: core refuses them. */
const textsOf = (charges: readonly Members[], member: string): string[] => [
  ...new Set(charges.flatMap(({ [member]: text }) => (typeof text === "string" && text.trim() !== "" ? [text] : []))),
];

/** The metrics of the charges of a request, and the request with each charge naming its metric by id. */
async function withMetrics(
  tx: Tx,
  organizationId: string,
  input: Members,
): Promise<{ members: Members; metrics: MetricsById }> {
  const { ids, codes } = namedMetrics(input);
  const byId = await findMetricsById(tx, organizationId, ids);
  const byCode = codes.length > 0 ? await findMetricsByCode(tx, organizationId, codes) : [];
  const metrics = new Map([...byId, ...byCode].map((row) => [row.id, toCoreMetric(row)]));
  const idOf = new Map(byCode.map(({ code, id }) => [code, id]));
  const unknown = [...ids.filter((id) => !metrics.has(id)), ...codes.filter((code) => !idOf.has(code))];
  if (unknown.length > 0) throw metricsNotFound(unknown);
  if (codes.length === 0) return { members: input, metrics };
  const charges = (input.charges as unknown[]).map((charge, index) =>
    isMembers(charge) ? namedById(charge, idOf, `charges[${index}].billable_metric_code`) : charge,
  );
  return { members: { ...input, charges }, metrics };
}

const TWO_METRICS = "The code and the id are of two metrics. Send one of them, or both of the same metric.";

function namedById(charge: Members, idOf: ReadonlyMap<string, string>, path: string): Members {
  const { billable_metric_id = null, billable_metric_code: code } = charge;
  const id = typeof code === "string" ? idOf.get(code) : undefined;
  if (id === undefined) return charge;
  if (billable_metric_id !== null && billable_metric_id !== id)
    throw invalidMembers([{ path, code: "value_is_invalid", message: TWO_METRICS }]);
  return { ...charge, billable_metric_id: id };
}
