/** All SQL on plan_versions and plan_version_clocks. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";

export type PlanVersion = { planId: string; version: number };

/** The module `plans` writes and reads `terms` and `metrics`. */
export type NewVersion = PlanVersion & {
  terms: object;
  metrics: object;
  /** On the real clock. */
  madeAt: Temporal.Instant;
};

export async function insertVersions(
  tx: Tx,
  organizationId: string,
  versions: readonly NewVersion[],
  now: Temporal.Instant,
): Promise<void> {
  const planIds = versions.map(({ planId }) => planId);
  const numbers = versions.map(({ version }) => version);
  const terms = versions.map((version) => JSON.stringify(version.terms));
  const metrics = versions.map((version) => JSON.stringify(version.metrics));
  const madeAt = versions.map((version) => version.madeAt);
  await sql`insert into plan_versions (organization_id, plan_id, version, terms, metrics, made_at, created_at)
    select ${organizationId}::uuid, plan_id, version, terms::jsonb, metrics::jsonb, made_at, ${now}::timestamptz
    from unnest(${planIds}::uuid[], ${numbers}::integer[], ${terms}::text[], ${metrics}::text[], ${madeAt}::timestamptz[])
      as given (plan_id, version, terms, metrics, made_at)`.execute(tx);
}

/** `metrics` is null in versions of releases that did not store them. */
export type VersionRow = PlanVersion & { terms: unknown; metrics: unknown; madeAt: Temporal.Instant };

const columns = sql`version.plan_id as "planId", version.version, version.terms, version.metrics,
  coalesce(version.made_at, version.created_at) as "madeAt"`;

export async function findNewestVersions(
  tx: Tx,
  organizationId: string,
  planIds: readonly string[],
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from plans as plan
    join plan_versions as version on version.organization_id = plan.organization_id and version.plan_id = plan.id
      and version.version = plan.version
    where plan.organization_id = ${organizationId} and plan.id = any(${planIds}::uuid[])`.execute(tx);
  return rows;
}

/** The version as it was created, whatever came later. */
export async function findVersion(
  tx: Tx,
  organizationId: string,
  { planId, version }: PlanVersion,
): Promise<VersionRow | undefined> {
  const { rows } = await sql<VersionRow>`
    select ${columns} from plan_versions as version
    where version.organization_id = ${organizationId} and version.plan_id = ${planId} and version.version = ${version}`.execute(
    tx,
  );
  return rows[0];
}

/** Records since when versions are in force on the test clocks of their subscribers. */
export async function recordClocks(
  tx: Tx,
  organizationId: string,
  clocks: readonly (PlanVersion & { testClockId: string; now: Temporal.Instant })[],
): Promise<void> {
  if (clocks.length === 0) return;
  // As arrays: a plan may have more test clocks than a statement has parameters.
  await sql`insert into plan_version_clocks (organization_id, plan_id, version, test_clock_id, in_force_at)
    select ${organizationId}::uuid, plan_id, version, test_clock_id, in_force_at
    from unnest(${clocks.map(({ planId }) => planId)}::uuid[], ${clocks.map(({ version }) => version)}::integer[],
      ${clocks.map(({ testClockId }) => testClockId)}::uuid[], ${clocks.map(({ now }) => now)}::timestamptz[])
      as given (plan_id, version, test_clock_id, in_force_at)`.execute(tx);
}

/** The last version that was created by a real instant, of the plan or of its parent. */
export async function findVersionMadeBy(
  tx: Tx,
  organizationId: string,
  { planId, by }: { planId: string; by: Temporal.Instant },
): Promise<PlanVersion | undefined> {
  const { rows } = await sql<PlanVersion>`
    select version.plan_id as "planId", version.version from plans as own
    join plan_versions as version on version.organization_id = ${organizationId} and version.plan_id in (own.id, own.parent_id)
    where own.organization_id = ${organizationId} and own.id = ${planId}
      and (version.made_at is null or version.made_at <= ${by}::timestamptz)
    order by version.plan_id = own.id desc, version.version desc limit 1`.execute(tx);
  return rows[0];
}
