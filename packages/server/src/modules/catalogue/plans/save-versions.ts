/** Versions of plans: a change of terms creates a new version, and the rows of charges and filters are kept consistent with it. */
import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findMetricsById } from "../billable-metrics/index.ts";
import { holdClocksOfSubscribers } from "../look-ups/index.ts";
import { insertVersions, type PlanVersion, recordClocks } from "../price-versions/index.ts";
import { metricsThenOf } from "./metrics-then.ts";
import { deleteRows, insertCharges, insertFilters, moveToVersions } from "./store.ts";
import type { ChargeTerms, PlanTerms } from "./terms.ts";
import type { PlanRow } from "./to-api.ts";

export type Edit = {
  row: PlanRow;
  before: PlanTerms;
  after: PlanTerms;
  /** The terms are unchanged, but their meaning is not. */
  isReadOtherwise?: boolean;
  /** On the real clock, if `now` is not. */
  madeAt?: Temporal.Instant;
};

/** Creates a new version of each plan whose terms changed; the others keep theirs. */
export async function saveVersions(
  tx: Tx,
  organizationId: string,
  edits: readonly Edit[],
  now: Temporal.Instant,
): Promise<void> {
  const changes = edits.filter(
    ({ before, after, isReadOtherwise }) => isReadOtherwise || !isDeepStrictEqual(before, after),
  );
  if (changes.length === 0) return;
  const versions = changes.map(({ row, after, madeAt = now }) => ({
    planId: row.id,
    version: row.version + 1,
    terms: after,
    madeAt,
  }));
  await addVersions(tx, organizationId, versions, now);
  const planIds = versions.map(({ planId }) => planId);
  const clocks = await holdClocksOfSubscribers(tx, organizationId, planIds);
  await recordClocks(
    tx,
    organizationId,
    clocks.flatMap((clock) =>
      versions.filter(({ planId }) => planId === clock.planId).map(({ version }) => ({ ...clock, version })),
    ),
  );
  await moveToVersions(tx, organizationId, versions, now);
  const charges = changes.map(({ row, before, after }) => ({
    planId: row.id,
    before: before.charges,
    after: after.charges,
  }));
  await keepChargesEqual(tx, organizationId, charges, now);
}

type AddedVersion = PlanVersion & { terms: PlanTerms; madeAt: Temporal.Instant };

/** With the current metrics. */
export async function addVersions(
  tx: Tx,
  organizationId: string,
  versions: readonly AddedVersion[],
  now: Temporal.Instant,
): Promise<void> {
  const ids = versions.flatMap(({ terms }) => terms.charges.map(({ billable_metric_id }) => billable_metric_id));
  const rows = await findMetricsById(tx, organizationId, [...new Set(ids)]);
  const metrics = new Map(rows.map((row) => [row.id, row]));
  const added = versions.map((version) => ({ ...version, metrics: metricsThenOf(version.terms, metrics) }));
  await insertVersions(tx, organizationId, added, now);
}

type ChargesOfPlan = { planId: string; before: readonly ChargeTerms[]; after: readonly ChargeTerms[] };

/** Inserts rows for new charges and filters, and ends those that are gone. */
export async function keepChargesEqual(
  tx: Tx,
  organizationId: string,
  plans: readonly ChargesOfPlan[],
  now: Temporal.Instant,
): Promise<void> {
  const charges = plans.map(({ planId, before, after }) => ({
    ...compare(before, after),
    planId,
    filters: compare(filtersOf(before), filtersOf(after)),
  }));
  const newCharges = charges.flatMap(({ planId, added }) =>
    added.map(({ id, billable_metric_id }) => ({ id, planId, metricId: billable_metric_id })),
  );
  await insertCharges(tx, organizationId, newCharges, now);
  const newFilters = charges.flatMap(({ filters }) => filters.added);
  await insertFilters(tx, organizationId, newFilters, now);
  const goneFilters = charges.flatMap(({ filters }) => filters.gone.map(({ id }) => id));
  await deleteRows(tx, organizationId, { table: "charge_filters", ids: goneFilters }, now);
  const goneCharges = charges.flatMap(({ gone }) => gone.map(({ id }) => id));
  await deleteRows(tx, organizationId, { table: "charges", ids: goneCharges }, now);
}

const filtersOf = (charges: readonly ChargeTerms[]) =>
  charges.flatMap((charge) => charge.filters.map(({ id }) => ({ id, chargeId: charge.id })));

function compare<Item extends { id: string }>(before: readonly Item[], after: readonly Item[]) {
  const old = new Set(before.map(({ id }) => id));
  const kept = new Set(after.map(({ id }) => id));
  return { added: after.filter(({ id }) => !old.has(id)), gone: before.filter(({ id }) => !kept.has(id)) };
}
