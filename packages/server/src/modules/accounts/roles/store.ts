/** All SQL on roles: those that an organization made. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type RoleRow = Selectable<DB["roles"]>;

const rolesOf = (tx: Tx, organizationId: string) =>
  tx.selectFrom("roles").selectAll().where("organization_id", "=", organizationId);

export const listRoles = (tx: Tx, organizationId: string): Promise<RoleRow[]> =>
  rolesOf(tx, organizationId).orderBy("created_at").orderBy("id").execute();

export const findRole = (tx: Tx, organizationId: string, code: string): Promise<RoleRow | undefined> =>
  rolesOf(tx, organizationId).where("code", "=", code).executeTakeFirst();

/** With the lock of a change. */
export const lockRole = (tx: Tx, organizationId: string, code: string): Promise<RoleRow | undefined> =>
  rolesOf(tx, organizationId).where("code", "=", code).forUpdate().executeTakeFirst();

/** With a lock that keeps it from being changed or deleted while it is handed out. */
export const shareRole = (tx: Tx, organizationId: string, code: string): Promise<RoleRow | undefined> =>
  rolesOf(tx, organizationId).where("code", "=", code).forShare().executeTakeFirst();

export const insertRole = (
  tx: Tx,
  organizationId: string,
  role: Omit<Insertable<DB["roles"]>, "organization_id">,
): Promise<RoleRow> =>
  tx
    .insertInto("roles")
    .values({ ...role, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateRole = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Partial<Pick<RoleRow, "name" | "updated_at">> & { permissions?: string },
): Promise<RoleRow> =>
  tx
    .updateTable("roles")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteRole(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.deleteFrom("roles").where("organization_id", "=", organizationId).where("id", "=", id).execute();
}

/** Whether members have it, or ever were invited with it. */
export async function isRoleUsed(tx: Tx, organizationId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from members where organization_id = ${organizationId} and role_id = ${id})
      or exists (select from invitations where organization_id = ${organizationId} and role_id = ${id}) as used`.execute(
    tx,
  );
  return rows[0]?.used ?? false;
}
