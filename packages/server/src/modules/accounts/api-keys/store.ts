/** All SQL on api_keys. */
import { type Selectable, sql } from "kysely";
import type { Permissions } from "../../../http/auth.ts";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, byText, pageOf } from "../../../http/page-of.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

/** Without the hash of the token, which only `findKeyByKeyId` reads. */
export type KeyRow = Omit<Selectable<DB["api_keys"]>, "organization_id" | "token_hash">;

const KEY_COLUMNS = [
  ...(["id", "key_id", "name", "permissions"] as const),
  ...(["created_at", "expires_at", "revoked_at", "replaced_at", "last_used_at"] as const),
] as const satisfies readonly (keyof KeyRow)[];

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

export const insertKey = (tx: Tx, organizationId: string, key: NewKey): Promise<KeyRow> =>
  tx
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
    .returning(KEY_COLUMNS)
    .executeTakeFirstOrThrow();

const keys = (tx: Tx, organizationId: string) =>
  tx.selectFrom("api_keys").select(KEY_COLUMNS).where("organization_id", "=", organizationId);

export const listKeys = (tx: Tx, organizationId: string): Promise<KeyRow[]> =>
  keys(tx, organizationId).orderBy("created_at").execute();

/** Index: api_keys_list. */
export const pageOfKeys = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(keys(tx, organizationId), list, {
    sorts: { created_at: [byInstant("created_at")], name: [byText("name")] },
    search: ["name"],
  });

export const findKey = (tx: Tx, organizationId: string, keyId: string): Promise<KeyRow | undefined> =>
  keys(tx, organizationId).where("key_id", "=", keyId).executeTakeFirst();

/** In one order, so that no deadlock can occur. */
export const lockKeys = (tx: Tx, organizationId: string, keyIds: readonly string[]): Promise<KeyRow[]> =>
  keys(tx, organizationId)
    .where("key_id", "=", sql<string>`any(${keyIds}::text[])`)
    .orderBy("key_id")
    .forNoKeyUpdate()
    .execute();

/** undefined: no key has that id, or it is already revoked. */
export const revokeRow = (
  tx: Tx,
  organizationId: string,
  keyId: string,
  now: Temporal.Instant,
): Promise<KeyRow | undefined> =>
  tx
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("organization_id", "=", organizationId)
    .where("key_id", "=", keyId)
    .where("revoked_at", "is", null)
    .returning(KEY_COLUMNS)
    .executeTakeFirst();

/** The caller locks the key. */
export async function replaceRow(
  tx: Tx,
  organizationId: string,
  keyId: string,
  changes: { replaced_at: Temporal.Instant; expires_at?: Temporal.Instant; revoked_at?: Temporal.Instant },
): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("key_id", "=", keyId)
    .execute();
}
