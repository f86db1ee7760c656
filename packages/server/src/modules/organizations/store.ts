/** All SQL on organizations: the row of the current transaction's organization, whose id is its organization_id. */
import type { Insertable } from "kysely";
import type { Database, Tx } from "../../platform/postgres/database.ts";
import type { DB } from "../../platform/postgres/schema.ts";
import type { OrganizationRow } from "./schema.ts";

/** organization_id = id here. */
export const findOrganization = (tx: Tx, organizationId: string): Promise<OrganizationRow> =>
  tx.selectFrom("organizations").selectAll().where("id", "=", organizationId).executeTakeFirstOrThrow();

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
