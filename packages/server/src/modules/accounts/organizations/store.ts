/** All SQL on organizations: the row of the current transaction's organization, whose id is its organization_id. */
import { type Insertable, sql } from "kysely";
import { type Batch, batched } from "../../../platform/postgres/batch.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { OrganizationRow } from "./schema.ts";

/** organization_id = id here. */
export const findOrganization = (batch: Batch, organizationId: string): Promise<OrganizationRow> =>
  findOnce(batch, organizationId, undefined);

/** organization_id = id here. */
const findOnce = batched<undefined, OrganizationRow>(async (tx, organizationId, all) => {
  const row = await tx
    .selectFrom("organizations")
    .selectAll()
    .where("id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return all.map(() => row);
});

/** organization_id = id here. */
export const lockOrganization = (tx: Tx, organizationId: string): Promise<OrganizationRow> =>
  tx
    .selectFrom("organizations")
    .selectAll()
    .where("id", "=", organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();

/** organization_id = id here. */
export const updateOrganization = (
  tx: Tx,
  organizationId: string,
  changes: Partial<OrganizationRow>,
): Promise<OrganizationRow> =>
  tx
    .updateTable("organizations")
    .set(changes)
    .where("id", "=", organizationId)
    .returningAll()
    .executeTakeFirstOrThrow();

/**
 * Whether invoices must wait. A shared lock keeps the answer true until the transaction ends: otherwise an invoice could be put on hold
 * after billing resumed, and wait forever. organization_id = id here.
 */
export async function isBillingPaused(batch: Batch, organizationId: string): Promise<boolean> {
  await shareBilling(batch, organizationId, undefined);
  const { billing_paused_at } = await findOrganization(batch, organizationId);
  return billing_paused_at !== null;
}

const shareBilling = batched<undefined, void>(async (tx, organizationId, all) => {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${`billing ${organizationId}`}, 0))`.execute(tx);
  return all.map(() => undefined);
});

/** null resumes billing. A second pause keeps the instant of the first. organization_id = id here. */
export async function setBillingPause(
  tx: Tx,
  organizationId: string,
  pausedAt: Temporal.Instant | null,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`billing ${organizationId}`}, 0))`.execute(tx);
  const since = pausedAt && sql<Temporal.Instant>`coalesce(billing_paused_at, ${pausedAt}::timestamptz)`;
  await tx.updateTable("organizations").set({ billing_paused_at: since }).where("id", "=", organizationId).execute();
}

/** organization_id = id here. */
export async function insertOrganization(tx: Tx, organization: Insertable<DB["organizations"]>): Promise<void> {
  await tx.insertInto("organizations").values(organization).execute();
}

/** Over every organization_id, for the dispatcher and the command line. */
export const listOrganizations = (dispatcherDb: Database) =>
  dispatcherDb
    .selectFrom("organizations")
    .select(["id", "name", "is_sandbox", "created_at"])
    .orderBy("created_at")
    .execute();

/** Stores the result of fetching a URL, unless the organization has another URL by now. organization_id = id here. */
export async function setLogo(
  tx: Tx,
  organizationId: string,
  url: string,
  result: { logo_digest: Buffer; logo_error: null } | { logo_error: string },
): Promise<void> {
  await tx
    .updateTable("organizations")
    .set(result)
    .where("id", "=", organizationId)
    .where("logo_url", "=", url)
    .execute();
}
