/**
 * All SQL on plans and their parts. Deleted objects keep their rows and taxes: the last bills are computed from them. Many rows are
 * written by one statement with a list in each parameter, because a plan may have more charges than a statement may have parameters.
 */

import { sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { CODED_COLUMNS, pageOf } from "../../../http/page-of.ts";
import { demandSmallPage } from "../../../http/pagination.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { PlanVersion } from "../price-versions/index.ts";
import type { TaxRow } from "../taxes/index.ts";
import type { PlanTerms } from "./terms.ts";
import type { ChargeRow, CommitmentRow, PlanRow } from "./to-api.ts";

/** Plans with a code of their own: neither deleted nor derived for a single subscription. */
const listed = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("plans")
    .selectAll("plans")
    .where("plans.organization_id", "=", organizationId)
    .where("plans.deleted_at", "is", null)
    .where("plans.parent_id", "is", null);

export const findPlan = (tx: Tx, organizationId: string, code: string): Promise<PlanRow | undefined> =>
  listed(tx, organizationId).where("code", "=", code).executeTakeFirst();

export const findPlans = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<PlanRow[]> =>
  listed(tx, organizationId).where("code", "=", sql<string>`any(${codes}::text[])`).orderBy("created_at").execute();

/** Lock for changing the plan: two simultaneous changes would create the same version. */
export const lockPlan = (tx: Tx, organizationId: string, code: string): Promise<PlanRow | undefined> =>
  listed(tx, organizationId).where("code", "=", code).forNoKeyUpdate().executeTakeFirst();

/** Lock for subscribing: the plan is neither changed nor deleted until the transaction ends. */
export const holdPlan = (tx: Tx, organizationId: string, code: string): Promise<PlanRow | undefined> =>
  listed(tx, organizationId).where("code", "=", code).forShare().executeTakeFirst();

/** Lock for changing a plan, including the plan of a single subscription. */
export const lockPlanById = (tx: Tx, organizationId: string, id: string): Promise<PlanRow> =>
  tx
    .selectFrom("plans")
    .selectAll("plans")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();

/** Includes plans of a single subscription, and deleted ones. */
export const findPlansById = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<PlanRow[]> =>
  tx
    .selectFrom("plans")
    .selectAll("plans")
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .execute();

/** The name is in the current version of a plan. */
const named = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom(
      listed(tx, organizationId)
        .select((plan) =>
          plan
            .selectFrom("plan_versions as version")
            .select("version.name")
            .where("version.organization_id", "=", organizationId)
            .whereRef("version.plan_id", "=", "plans.id")
            .whereRef("version.version", "=", "plans.version")
            .as("name"),
        )
        .as("plans"),
    )
    .selectAll();

/** Without their charges, so a page of any size is small. */
export const findNamedPlans = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(named(tx, organizationId), list, CODED_COLUMNS);

export async function pageOfPlans(tx: Tx, organizationId: string, list: ListRequest) {
  const page = await findNamedPlans(tx, organizationId, list);
  demandSmallPage(page.rows.length, await bytesOfTerms(tx, organizationId, page.rows));
  return page;
}

/** A plan can have a thousand charges, and each of them a thousand filters. */
async function bytesOfTerms(
  tx: Tx,
  organizationId: string,
  plans: readonly { id: string; version: number }[],
): Promise<number> {
  const [ids, versions] = [plans.map(({ id }) => id), plans.map(({ version }) => version)];
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(version.terms_bytes), 0)::float8 as bytes
    from unnest(${ids}::uuid[], ${versions}::integer[]) as plan (id, version)
    join plan_versions as version
      on version.organization_id = ${organizationId} and version.plan_id = plan.id and version.version = plan.version
  `.execute(tx);
  return rows[0]?.bytes ?? 0;
}

/** Includes plans of a single subscription, and deleted ones: plans that still bill must stay consistent with their metrics. */
export const lockPlansWithChargeOn = (tx: Tx, organizationId: string, metricId: string): Promise<PlanRow[]> =>
  tx
    .selectFrom("plans")
    .selectAll("plans")
    .where("organization_id", "=", organizationId)
    .where("id", "in", (from) =>
      from
        .selectFrom("charges")
        .select("charges.plan_id")
        .where("charges.organization_id", "=", organizationId)
        .where("charges.billable_metric_id", "=", metricId)
        .where("charges.deleted_at", "is", null),
    )
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();

export type NamedMetrics = { ids: readonly string[]; codes: readonly string[] };

/**
 * Blocks changes and deletion of these metrics until the transaction ends: they would not see its new charges. Metrics are locked before
 * plans, here and in changes of a metric, which prevents deadlocks.
 */
export async function holdMetrics(tx: Tx, organizationId: string, { ids, codes }: NamedMetrics): Promise<void> {
  await tx
    .selectFrom("billable_metrics")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where((or) =>
      or.or([
        or("id", "=", anyOf(ids.filter((id) => isUuid(id)))),
        or("code", "=", sql<string>`any(${codes}::text[])`),
      ]),
    )
    .orderBy("id")
    .forShare()
    .execute();
}

export const findCharges = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<ChargeRow[]> =>
  tx
    .selectFrom("charges")
    .innerJoin("billable_metrics", (join) =>
      join
        .onRef("billable_metrics.organization_id", "=", "charges.organization_id")
        .onRef("billable_metrics.id", "=", "charges.billable_metric_id"),
    )
    .select(["charges.id", "charges.created_at", "billable_metrics.code as billable_metric_code"])
    .where("charges.organization_id", "=", organizationId)
    .where("charges.id", "=", anyOf(ids))
    .execute();

export const findCommitments = (tx: Tx, organizationId: string, planIds: readonly string[]): Promise<CommitmentRow[]> =>
  everyCommitment(tx, organizationId, planIds).where("deleted_at", "is", null).execute();

const everyCommitment = (tx: Tx, organizationId: string, planIds: readonly string[]) =>
  tx
    .selectFrom("minimum_commitments")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("plan_id", "=", anyOf(planIds));

/** The commitment of a plan or, if it has none, its last one. */
export const findLastCommitment = (
  tx: Tx,
  organizationId: string,
  planId: string,
): Promise<CommitmentRow | undefined> =>
  everyCommitment(tx, organizationId, [planId])
    .orderBy(sql`deleted_at is null`, "desc")
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();

/** The objects that taxes apply to, each kind in its own table. */
const TAXED = {
  plans: { table: "plan_taxes", owner: "plan_id" },
  charges: { table: "charge_taxes", owner: "charge_id" },
  commitments: { table: "commitment_taxes", owner: "commitment_id" },
} as const;
export type Taxed = keyof typeof TAXED;
/** Which tax applies to which plan, charge or commitment. */
export type TaxLink = { ownerId: string; taxId: string };

/** The taxes of these objects, of any kind, with the id of the object. */
export const findTaxesOf = (
  tx: Tx,
  organizationId: string,
  ids: Readonly<Record<Taxed, readonly string[]>>,
): Promise<(TaxRow & { owner_id: string })[]> =>
  tx
    .selectFrom((from) =>
      from
        .selectFrom("plan_taxes")
        .select(["plan_id as owner_id", "tax_id"])
        .where("organization_id", "=", organizationId)
        .where("plan_id", "=", anyOf(ids.plans))
        .unionAll(
          from
            .selectFrom("charge_taxes")
            .select(["charge_id as owner_id", "tax_id"])
            .where("organization_id", "=", organizationId)
            .where("charge_id", "=", anyOf(ids.charges)),
        )
        .unionAll(
          from
            .selectFrom("commitment_taxes")
            .select(["commitment_id as owner_id", "tax_id"])
            .where("organization_id", "=", organizationId)
            .where("commitment_id", "=", anyOf(ids.commitments)),
        )
        .as("links"),
    )
    .innerJoin("taxes", "taxes.id", "links.tax_id")
    .selectAll("taxes")
    .select("links.owner_id")
    .where("taxes.organization_id", "=", organizationId)
    .where("taxes.deleted_at", "is", null)
    .orderBy("taxes.created_at")
    .orderBy("taxes.id")
    .execute();

/** Waits for taxes that are being deleted and leaves them out, so that no object ever has a deleted tax. */
export async function insertTaxLinks(
  tx: Tx,
  organizationId: string,
  taxed: Taxed,
  links: readonly TaxLink[],
): Promise<void> {
  if (links.length === 0) return;
  const { table, owner } = TAXED[taxed];
  await sql`insert into ${sql.table(table)} (organization_id, ${sql.ref(owner)}, tax_id)
    select taxes.organization_id, links.owner_id, taxes.id
    from ${linksOf(links)} join taxes on taxes.organization_id = ${organizationId} and taxes.id = links.tax_id
    where taxes.deleted_at is null
    for key share of taxes`.execute(tx);
}

export async function deleteTaxLinks(
  tx: Tx,
  organizationId: string,
  taxed: Taxed,
  links: readonly TaxLink[],
): Promise<void> {
  if (links.length === 0) return;
  const { table, owner } = TAXED[taxed];
  await sql`delete from ${sql.table(table)}
    where organization_id = ${organizationId}
      and (${sql.ref(owner)}, tax_id) in (select owner_id, tax_id from ${linksOf(links)})`.execute(tx);
}

const linksOf = (links: readonly TaxLink[]) =>
  sql`unnest(${links.map(({ ownerId }) => ownerId)}::uuid[], ${links.map(({ taxId }) => taxId)}::uuid[])
    as links (owner_id, tax_id)`;

/** With its first version, which is inserted afterwards. */
export const insertPlan = (
  tx: Tx,
  organizationId: string,
  plan: Pick<PlanRow, "id" | "code" | "parent_id">,
  now: Temporal.Instant,
): Promise<PlanRow> =>
  tx
    .insertInto("plans")
    .values({ ...plan, version: 1, organization_id: organizationId, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Makes these versions the current ones of their plans. */
export async function moveToVersions(
  tx: Tx,
  organizationId: string,
  versions: readonly (PlanVersion & { terms: PlanTerms })[],
  now: Temporal.Instant,
): Promise<void> {
  const planIds = versions.map(({ planId }) => planId);
  const numbers = versions.map(({ version }) => version);
  const codes = versions.map(({ terms }) => terms.code);
  await sql`update plans set version = given.version, code = given.code, updated_at = ${now}
    from unnest(${planIds}::uuid[], ${numbers}::integer[], ${codes}::text[]) as given (plan_id, version, code)
    where plans.organization_id = ${organizationId} and plans.id = given.plan_id`.execute(tx);
}

export async function deletePlanRow(tx: Tx, organizationId: string, id: string, now: Temporal.Instant): Promise<void> {
  await tx
    .updateTable("plans")
    .set({ deleted_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}

export type NewCharge = { id: string; planId: string; metricId: string };

export async function insertCharges(
  tx: Tx,
  organizationId: string,
  charges: readonly NewCharge[],
  now: Temporal.Instant,
): Promise<void> {
  if (charges.length === 0) return;
  const ids = charges.map(({ id }) => id);
  const planIds = charges.map(({ planId }) => planId);
  const metricIds = charges.map(({ metricId }) => metricId);
  await sql`insert into charges (organization_id, id, plan_id, billable_metric_id, created_at)
    select ${organizationId}::uuid, id, plan_id, metric_id, ${now}::timestamptz
    from unnest(${ids}::uuid[], ${planIds}::uuid[], ${metricIds}::uuid[]) as given (id, plan_id, metric_id)`.execute(
    tx,
  );
}

export type NewFilter = { id: string; chargeId: string };

export async function insertFilters(
  tx: Tx,
  organizationId: string,
  filters: readonly NewFilter[],
  now: Temporal.Instant,
): Promise<void> {
  if (filters.length === 0) return;
  const ids = filters.map(({ id }) => id);
  const chargeIds = filters.map(({ chargeId }) => chargeId);
  await sql`insert into charge_filters (organization_id, id, charge_id, created_at)
    select ${organizationId}::uuid, id, charge_id, ${now}::timestamptz
    from unnest(${ids}::uuid[], ${chargeIds}::uuid[]) as given (id, charge_id)`.execute(tx);
}

export async function deleteRows(
  tx: Tx,
  organizationId: string,
  { table, ids }: { table: "charges" | "charge_filters" | "minimum_commitments"; ids: readonly string[] },
  now: Temporal.Instant,
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable(table)
    .set({ deleted_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .execute();
}

export async function insertCommitment(
  tx: Tx,
  organizationId: string,
  commitment: Pick<CommitmentRow, "id" | "plan_id">,
  now: Temporal.Instant,
): Promise<void> {
  await tx
    .insertInto("minimum_commitments")
    .values({ ...commitment, organization_id: organizationId, created_at: now, updated_at: now })
    .execute();
}

export async function touchCommitment(
  tx: Tx,
  organizationId: string,
  id: string,
  now: Temporal.Instant,
): Promise<void> {
  await tx
    .updateTable("minimum_commitments")
    .set({ updated_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}
