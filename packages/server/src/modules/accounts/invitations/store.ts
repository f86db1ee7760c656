/** All SQL on invitations. */
import { type Insertable, sql } from "kysely";
import type { Permissions } from "../../../http/auth.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { BuiltInRole } from "../roles/index.ts";

export type InvitationRow = {
  id: string;
  email: string;
  built_in_role: BuiltInRole | null;
  role_id: string | null;
  role_code: string | null;
  permissions: Permissions;
  created_at: Temporal.Instant;
  expires_at: Temporal.Instant;
};

const invitations = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("invitations")
    .leftJoin("roles", (join) =>
      join
        .onRef("roles.organization_id", "=", "invitations.organization_id")
        .onRef("roles.id", "=", "invitations.role_id"),
    )
    .select([
      ...(["invitations.id", "email", "built_in_role", "role_id", "invitations.created_at", "expires_at"] as const),
      ...(["roles.code as role_code", "roles.permissions"] as const),
    ])
    .where("invitations.organization_id", "=", organizationId)
    .$castTo<InvitationRow>();

export const listInvitations = (tx: Tx, organizationId: string): Promise<InvitationRow[]> =>
  invitations(tx, organizationId).orderBy("invitations.created_at").orderBy("invitations.id").execute();

export const findInvitation = (tx: Tx, organizationId: string, id: string): Promise<InvitationRow | undefined> =>
  invitations(tx, organizationId).where(sql<string>`invitations.id::text`, "=", id).executeTakeFirst();

export async function insertInvitation(
  tx: Tx,
  organizationId: string,
  invitation: Omit<Insertable<DB["invitations"]>, "organization_id">,
): Promise<void> {
  await tx
    .insertInto("invitations")
    .values({ ...invitation, organization_id: organizationId })
    .execute();
}

/** The row that is deleted is the right to go on, so an invitation works once. Returns false if it is gone. */
export async function deleteInvitation(tx: Tx, organizationId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("invitations")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Over all organizations, for the dispatcher: who accepts has a token and no organization_id. */
export const findInvitationByToken = (dispatcherDb: Database | Tx, tokenHash: Buffer, now: Temporal.Instant) =>
  dispatcherDb
    .selectFrom("invitations")
    .innerJoin("organizations", "organizations.id", "invitations.organization_id")
    .select([
      ...(["organization_id", "invitations.id", "invitations.email", "built_in_role", "role_id"] as const),
      "organizations.name as organization_name",
    ])
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .executeTakeFirst();

/** One that has not expired, for a person who arrives without its token. */
export const findInvitationByEmail = (
  tx: Tx,
  organizationId: string,
  { email, now }: { email: string; now: Temporal.Instant },
): Promise<InvitationRow | undefined> =>
  invitations(tx, organizationId).where("email", "=", email).where("expires_at", ">", now).executeTakeFirst();
