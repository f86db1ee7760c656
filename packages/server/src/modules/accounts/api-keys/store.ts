/** All SQL on api_keys. */
import type { Permissions } from "../../../http/auth.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";

/**
 * Over all organizations, for the dispatcher: a request comes with a key and no organization_id. The query also returns what every
 * request needs to know about the organization, which saves a second query.
 */
export const findKeyByKeyId = (dispatcherDb: Database, keyId: string) =>
  dispatcherDb
    .selectFrom("api_keys")
    .innerJoin("organizations", "organizations.id", "api_keys.organization_id")
    .select([
      "organization_id",
      "key_id",
      "token_hash",
      "permissions",
      "expires_at",
      "revoked_at",
      "last_used_at",
      "include_deprecated_fields",
      "ignore_unknown_members",
      "field_prefix",
    ])
    .where("key_id", "=", keyId)
    .executeTakeFirst();

/** Over all organizations, for the dispatcher: a key_id is unique over every organization_id. */
export async function touchKey(
  dispatcherDb: Database,
  keyId: string,
  { now, ifBefore }: { now: Temporal.Instant; ifBefore: Temporal.Instant },
): Promise<void> {
  await dispatcherDb
    .updateTable("api_keys")
    .set({ last_used_at: now })
    .where("key_id", "=", keyId)
    .where((row) => row.or([row("last_used_at", "is", null), row("last_used_at", "<=", ifBefore)]))
    .execute();
}

export type NewKey = {
  id: string;
  keyId: string;
  hash: Buffer;
  name: string;
  permissions: Permissions;
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant | null;
};

export async function insertKey(tx: Tx, organizationId: string, key: NewKey): Promise<void> {
  await tx
    .insertInto("api_keys")
    .values({
      organization_id: organizationId,
      id: key.id,
      key_id: key.keyId,
      token_hash: key.hash,
      name: key.name,
      permissions: key.permissions === null ? null : JSON.stringify(key.permissions),
      created_at: key.createdAt,
      expires_at: key.expiresAt,
    })
    .execute();
}

export const listKeys = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("api_keys")
    .select(["key_id", "name", "permissions", "created_at", "expires_at", "revoked_at", "last_used_at"])
    .where("organization_id", "=", organizationId)
    .orderBy("created_at")
    .execute();

export const findLiveKey = (tx: Tx, organizationId: string, keyId: string) =>
  tx
    .selectFrom("api_keys")
    .select(["name", "permissions", "expires_at"])
    .where("organization_id", "=", organizationId)
    .where("key_id", "=", keyId)
    .where("revoked_at", "is", null)
    .forUpdate()
    .executeTakeFirst();

/** Returns false if no working key has that id. */
export async function revokeKey(
  tx: Tx,
  organizationId: string,
  keyId: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("organization_id", "=", organizationId)
    .where("key_id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function expireKey(
  tx: Tx,
  organizationId: string,
  keyId: string,
  expiresAt: Temporal.Instant,
): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ expires_at: expiresAt })
    .where("organization_id", "=", organizationId)
    .where("key_id", "=", keyId)
    .execute();
}
