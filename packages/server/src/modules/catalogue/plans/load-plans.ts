/** Stored plans, for a whole page in a constant number of queries, and in the form that core uses. */
import assert from "node:assert/strict";
import type { Metric, MetricsById } from "@tallystick/core/catalog";
import { type Batch, batched } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findMetricsById, findMetricsEverUsed, type MetricRow, toCoreMetric } from "../billable-metrics/index.ts";
import { findVersion, type PlanVersion } from "../price-versions/index.ts";
import type { TaxRow } from "../taxes/index.ts";
import { findTerms, type ReadVersion, toVersion } from "./find-terms.ts";
import { asTheyWere } from "./metrics-then.ts";
import { findCommitments, findLastCommitment, findPlansById, findTaxesOf } from "./store.ts";
import { fromTerms, type PlanTerms, type StoredPlan } from "./terms.ts";
import type { CommitmentRow, PlanRow } from "./to-api.ts";

/** By the id of the taxed object: a plan, a charge or a commitment. */
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
  const termsOf = new Map(versions.map(({ planId, terms }) => [planId, terms]));
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

/** The newest version of the plan, with its current metrics and taxes. */
export async function toDefinition(tx: Tx, organizationId: string, loaded: LoadedPlan): Promise<StoredPlan> {
  return define(loaded, await findMetricsOf(tx, organizationId, loaded.terms));
}

/** Everything that prices usage: a version of a plan, with the current taxes. */
export type PriceList = {
  planId: string;
  version: number;
  /** On the real clock. */
  madeAt: Temporal.Instant;
  plan: StoredPlan;
  /** The metrics of its charges, as they were when the version was created. */
  metricsById: ReadonlyMap<string, MetricRow>;
  /** The taxes of the plan itself, and of each charge by its id. */
  planTaxes: readonly TaxRow[];
  chargeTaxes: TaxesOf;
  commitmentTaxes: readonly TaxRow[];
};

/** Loads the newest version. */
export const loadPriceList = (batch: Batch, organizationId: string, planId: string): Promise<PriceList> =>
  loadVersion(batch, organizationId, { planId, version: null });

type RequestedVersion = { planId: string; version: number | null };

/** `version` null: the newest. Each version is read once. */
export const loadVersion = batched<RequestedVersion, PriceList>(async (tx, organizationId, all) => {
  const known = new Map<string, PriceList>();
  const nameOf = ({ planId, version }: RequestedVersion) => `${planId} ${version ?? "newest"}`;
  for (const requested of all)
    if (!known.has(nameOf(requested)))
      known.set(nameOf(requested), await loadOneVersion(tx, organizationId, requested));
  return all.map((requested) => {
    const priceList = known.get(nameOf(requested));
    assert(priceList, "each version was loaded");
    return priceList;
  });
});

async function loadOneVersion(tx: Tx, organizationId: string, requested: RequestedVersion): Promise<PriceList> {
  const [row] = await findPlansById(tx, organizationId, [requested.planId]);
  assert(row, "the caller has the plan");
  const read = await readVersion(tx, organizationId, { planId: row.id, version: requested.version ?? row.version });
  assert(read, "a plan has the versions that it is priced by");
  const { terms } = read;
  const commitment = terms.minimum_commitment ? await findLastCommitment(tx, organizationId, row.id) : undefined;
  const taxes = await findTaxesOf(tx, organizationId, {
    plans: [row.id],
    charges: terms.charges.map(({ id }) => id),
    commitments: commitment ? [commitment.id] : [],
  });
  const taxesOf = Map.groupBy(taxes, ({ owner_id }) => owner_id);
  const metrics =
    read.version === row.version
      ? await findMetricsOf(tx, organizationId, terms)
      : asTheyWere(await findMetricsEverOf(tx, organizationId, terms), read);
  return {
    planId: row.id,
    version: read.version,
    madeAt: read.madeAt,
    plan: define({ row, terms, commitment, taxesOf }, metrics),
    metricsById: new Map(metrics.map((metric) => [metric.id, metric])),
    planTaxes: taxesOf.get(row.id) ?? [],
    chargeTaxes: taxesOf,
    commitmentTaxes: taxesOf.get(commitment?.id ?? "") ?? [],
  };
}

async function readVersion(tx: Tx, organizationId: string, requested: PlanVersion): Promise<ReadVersion | undefined> {
  const row = await findVersion(tx, organizationId, requested);
  return row && toVersion(row);
}

/** The requested version, and what is known about its metrics at that time, by their ids. */
type PastVersion = PlanVersion & { metricsThen: ReadonlyMap<string, Pick<Metric, "filters">> };

/** The price list of a version, without taxes, which are not part of it. Undefined if there is no such version. */
export async function loadPastPriceList(
  tx: Tx,
  organizationId: string,
  { planId, version, metricsThen }: PastVersion,
): Promise<PriceList | undefined> {
  const read = await readVersion(tx, organizationId, { planId, version });
  if (!read) return undefined;
  const rows = asTheyWere(await findMetricsEverOf(tx, organizationId, read.terms), read);
  const metrics = new Map(rows.map((row) => [row.id, { ...toCoreMetric(row), ...metricsThen.get(row.id) }]));
  return {
    planId,
    version,
    madeAt: read.madeAt,
    plan: fromTerms(read.terms, { planId, commitmentId: undefined, codesOf: new Map() }, metrics),
    metricsById: new Map(rows.map((row) => [row.id, row])),
    planTaxes: [],
    chargeTaxes: new Map(),
    commitmentTaxes: [],
  };
}

const metricIdsOf = ({ charges }: PlanTerms): string[] => [
  ...new Set(charges.map(({ billable_metric_id }) => billable_metric_id)),
];

const findMetricsOf = (tx: Tx, organizationId: string, terms: PlanTerms): Promise<MetricRow[]> =>
  findMetricsById(tx, organizationId, metricIdsOf(terms));

const findMetricsEverOf = (tx: Tx, organizationId: string, terms: PlanTerms): Promise<MetricRow[]> =>
  findMetricsEverUsed(tx, organizationId, metricIdsOf(terms));

function define(
  { row, terms, commitment, taxesOf }: Pick<LoadedPlan, "row" | "terms" | "commitment" | "taxesOf">,
  metrics: readonly MetricRow[],
): StoredPlan {
  const codesOf = new Map([...taxesOf].map(([id, taxes]) => [id, taxes.map(({ code }) => code)]));
  const metricsById: MetricsById = new Map(metrics.map((metric) => [metric.id, toCoreMetric(metric)]));
  return fromTerms(terms, { planId: row.id, commitmentId: commitment?.id, codesOf }, metricsById);
}
