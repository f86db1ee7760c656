/** All SQL on organizations: the row of the current transaction's organization, whose id is its organization_id. */
import { type Insertable, sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { together } from "../../../platform/postgres/in-step.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { OrganizationRow } from "./schema.ts";

/** organization_id = id here. */
export const findOrganization = (tx: Tx, organizationId: string): Promise<OrganizationRow> =>
  findOnce(tx, organizationId, undefined);

/** organization_id = id here. */
const findOnce = together<undefined, OrganizationRow>(async (tx, organizationId, all) => {
  const row = await tx
    .selectFrom("organizations")
    .selectAll()
    .where("id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return all.map(() => row);
});

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
 * Whether invoices are to wait. Whoever schedules one asks, and until its transaction ends the answer stays true: a change waits, so
 * that nothing is held forever by an answer of yesterday. organization_id = id here.
 */
export async function isBillingPaused(tx: Tx, organizationId: string): Promise<boolean> {
  await shareBilling(tx, organizationId, undefined);
  const { billing_paused_at } = await findOrganization(tx, organizationId);
  return billing_paused_at !== null;
}

const shareBilling = together<undefined, void>(async (tx, organizationId, all) => {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${`billing ${organizationId}`}, 0))`.execute(tx);
  return all.map(() => undefined);
});

/** null: it goes on. organization_id = id here. */
export async function setBillingPause(
  tx: Tx,
  organizationId: string,
  pausedAt: Temporal.Instant | null,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`billing ${organizationId}`}, 0))`.execute(tx);
  await updateOrganization(tx, organizationId, { billing_paused_at: pausedAt });
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

/** What came of a URL; nothing, if it is another by now. organization_id = id here. */
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
