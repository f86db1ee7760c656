/** Plans as they are stored, for a whole page in a constant number of queries, and what core computes with. */
import assert from "node:assert/strict";
import { ALL_FILTER_VALUES, type Metric, type MetricsById } from "@tallystick/core/catalog";
import type { Tx } from "../../platform/postgres/database.ts";
import { together } from "../../platform/postgres/in-step.ts";
import { findMetricsById, type MetricRow, toCoreMetric } from "../billable-metrics/index.ts";
import type { TaxRow } from "../taxes/index.ts";
import { findCommitments, findPlansById, findTaxesOf, findTerms, findTermsOfVersion } from "./store.ts";
import { fromTerms, type PlanTerms, type StoredPlan } from "./terms.ts";
import type { CommitmentRow, PlanRow } from "./to-api.ts";

/** By the id of what they apply to: a plan, a charge or a commitment. */
type TaxesOf = ReadonlyMap<string, readonly TaxRow[]>;
type PlanRecord = { row: PlanRow; terms: PlanTerms; commitment: CommitmentRow | undefined };
export type LoadedPlan = PlanRecord & { taxesOf: TaxesOf };

export async function loadPlans(
  tx: Tx,
  organizationId: string,
  rows: readonly PlanRow[],
): Promise<{ plans: PlanRecord[]; taxesOf: TaxesOf }> {
  const planIds = rows.map(({ id }) => id);
  const versions = await findTerms(tx, organizationId, planIds);
  const termsOf = new Map(versions.map(({ plan_id, terms }) => [plan_id, terms]));
  const commitments = await findCommitments(tx, organizationId, planIds);
  const commitmentOf = new Map(commitments.map((commitment) => [commitment.plan_id, commitment]));
  const taxes = await findTaxesOf(tx, organizationId, {
    plans: planIds,
    charges: versions.flatMap(({ terms }) => terms.charges.map(({ id }) => id)),
    commitments: commitments.map(({ id }) => id),
  });
  const plans = rows.map((row) => {
    const terms = termsOf.get(row.id);
    assert(terms, "a plan has the version that it names");
    return { row, terms, commitment: commitmentOf.get(row.id) };
  });
  return { plans, taxesOf: Map.groupBy(taxes, ({ owner_id }) => owner_id) };
}

export async function loadPlan(tx: Tx, organizationId: string, row: PlanRow): Promise<LoadedPlan> {
  const { plans, taxesOf } = await loadPlans(tx, organizationId, [row]);
  const [plan] = plans;
  assert(plan, "a row has a plan");
  return { ...plan, taxesOf };
}

/** The plan as its newest version says, with the metrics and taxes it has now. */
export async function toDefinition(tx: Tx, organizationId: string, loaded: LoadedPlan): Promise<StoredPlan> {
  return define(loaded, await findMetricsOf(tx, organizationId, loaded.terms));
}

/** All that usage is priced by, as it is now. */
export type PriceList = {
  planId: string;
  version: number;
  plan: StoredPlan;
  metricsById: ReadonlyMap<string, MetricRow>;
  /** Of the plan itself, and of each charge by its id. */
  planTaxes: readonly TaxRow[];
  chargeTaxes: TaxesOf;
  commitmentTaxes: readonly TaxRow[];
};

export const loadPriceList = together<string, PriceList>(async (tx, organizationId, planIds) => {
  const known = new Map<string, PriceList>();
  for (const planId of new Set(planIds)) known.set(planId, await loadOnePriceList(tx, organizationId, planId));
  return planIds.map((planId) => {
    const priceList = known.get(planId);
    assert(priceList, "each plan was loaded");
    return priceList;
  });
});

async function loadOnePriceList(tx: Tx, organizationId: string, planId: string): Promise<PriceList> {
  const [row] = await findPlansById(tx, organizationId, [planId]);
  assert(row, "whoever asks has the plan");
  const loaded = await loadPlan(tx, organizationId, row);
  const metrics = await findMetricsOf(tx, organizationId, loaded.terms);
  return {
    planId,
    version: row.version,
    plan: define(loaded, metrics),
    metricsById: new Map(metrics.map((metric) => [metric.id, metric])),
    planTaxes: loaded.taxesOf.get(planId) ?? [],
    chargeTaxes: loaded.taxesOf,
    commitmentTaxes: loaded.taxesOf.get(loaded.commitment?.id ?? "") ?? [],
  };
}

/** Which version is wanted, and what is known of the metrics as they were then, by their ids. */
type PastVersion = { planId: string; version: number; metricsThen: ReadonlyMap<string, Pick<Metric, "filters">> };

/** As a version priced; without taxes, which are not of it. undefined: there is no such version. */
export async function loadPastPriceList(
  tx: Tx,
  organizationId: string,
  { planId, version, metricsThen }: PastVersion,
): Promise<PriceList | undefined> {
  const terms = await findTermsOfVersion(tx, organizationId, { planId, version });
  if (!terms) return undefined;
  const rows = await findMetricsOf(tx, organizationId, terms);
  const metrics = new Map(
    rows.map((row) => [row.id, { ...toCoreMetric(row), ...(metricsThen.get(row.id) ?? filtersOf(terms, row)) }]),
  );
  return {
    planId,
    version,
    plan: fromTerms(terms, { planId, commitmentId: undefined, codesOf: new Map() }, metrics),
    metricsById: new Map(rows.map((row) => [row.id, row])),
    planTaxes: [],
    chargeTaxes: new Map(),
    commitmentTaxes: [],
  };
}

/** Values that a metric has lost meanwhile are still in the terms: with them those can be read. */
function filtersOf({ charges }: PlanTerms, row: MetricRow): Pick<Metric, "filters"> {
  const values = new Map(toCoreMetric(row).filters.map(({ key, values }) => [key, new Set(values)]));
  const wanted = charges.filter(({ billable_metric_id }) => billable_metric_id === row.id);
  for (const [key, list] of wanted.flatMap(({ filters }) => filters.flatMap((filter) => Object.entries(filter.values))))
    values.set(key, new Set([...(values.get(key) ?? []), ...list.filter((value) => value !== ALL_FILTER_VALUES)]));
  return { filters: [...values].map(([key, list]) => ({ key, values: [...list].toSorted() })) };
}

const findMetricsOf = (tx: Tx, organizationId: string, { charges }: PlanTerms): Promise<MetricRow[]> =>
  findMetricsById(tx, organizationId, [...new Set(charges.map(({ billable_metric_id }) => billable_metric_id))]);

function define({ row, terms, commitment, taxesOf }: LoadedPlan, metrics: readonly MetricRow[]): StoredPlan {
  const codesOf = new Map([...taxesOf].map(([id, taxes]) => [id, taxes.map(({ code }) => code)]));
  const metricsById: MetricsById = new Map(metrics.map((metric) => [metric.id, toCoreMetric(metric)]));
  return fromTerms(terms, { planId: row.id, commitmentId: commitment?.id, codesOf }, metricsById);
}
