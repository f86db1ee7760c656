/** Versions of plans, with the terms that this module stores in them. */
import type { Tx } from "../../../platform/postgres/database.ts";
import { findNewestVersions, type PlanVersion } from "../price-versions/index.ts";
import type { MetricsThen } from "./metrics-then.ts";
import type { PlanTerms } from "./terms.ts";

/** `metrics` is null in versions of releases that did not store them. */
export type ReadVersion = PlanVersion & { terms: PlanTerms; metrics: MetricsThen | null; madeAt: Temporal.Instant };

type Row = Awaited<ReturnType<typeof findNewestVersions>>[number];

export const toVersion = (row: Row): ReadVersion => ({
  ...row,
  terms: row.terms as PlanTerms,
  metrics: row.metrics as MetricsThen | null,
});

/** The newest version of each plan. */
export async function findTerms(tx: Tx, organizationId: string, planIds: readonly string[]): Promise<ReadVersion[]> {
  return (await findNewestVersions(tx, organizationId, planIds)).map(toVersion);
}
