/** All SQL on members. */
import { type Insertable, sql } from "kysely";
import type { Permissions } from "../../../http/auth.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { BuiltInRole } from "../roles/index.ts";

export type MemberRow = {
  user_id: string;
  email: string;
  name: string;
  built_in_role: BuiltInRole | null;
  role_code: string | null;
  permissions: Permissions;
  created_at: Temporal.Instant;
};

const members = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .leftJoin("roles", (join) =>
      join.onRef("roles.organization_id", "=", "members.organization_id").onRef("roles.id", "=", "members.role_id"),
    )
    .select([
      ...(["members.user_id", "users.email", "users.name", "members.built_in_role", "members.created_at"] as const),
      ...(["roles.code as role_code", "roles.permissions"] as const),
    ])
    .where("members.organization_id", "=", organizationId)
    .$castTo<MemberRow>();

export const listMembers = (tx: Tx, organizationId: string): Promise<MemberRow[]> =>
  members(tx, organizationId).orderBy("members.created_at").orderBy("members.user_id").execute();

export const findMember = (tx: Tx, organizationId: string, userId: string): Promise<MemberRow | undefined> =>
  members(tx, organizationId).where(sql<string>`members.user_id::text`, "=", userId).executeTakeFirst();

/** Locks the members of an organization, in the same order for all: what is decided about owners stays true until the transaction ends. */
export const lockMembers = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("members")
    .select(["user_id", "built_in_role"])
    .where("organization_id", "=", organizationId)
    .orderBy("user_id")
    .forUpdate()
    .execute();

/** Returns false if the person is a member already. */
export async function insertMember(
  tx: Tx,
  organizationId: string,
  member: Omit<Insertable<DB["members"]>, "organization_id">,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("members")
    .values({ ...member, organization_id: organizationId })
    .onConflict((conflict) => conflict.columns(["organization_id", "user_id"]).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export type RoleOfMember = { built_in_role: BuiltInRole; role_id: null } | { built_in_role: null; role_id: string };

export async function updateMember(
  tx: Tx,
  organizationId: string,
  userId: string,
  changes: RoleOfMember & { updated_at: Temporal.Instant },
): Promise<void> {
  await tx
    .updateTable("members")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
}

export async function deleteMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx.deleteFrom("members").where("organization_id", "=", organizationId).where("user_id", "=", userId).execute();
}

export const isMember = async (tx: Tx, organizationId: string, userId: string): Promise<boolean> =>
  (await findMember(tx, organizationId, userId)) !== undefined;
