/** All SQL on passkeys and passkey_challenges. Over all organizations, for the dispatcher: a person has no organization_id. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type PasskeyRow = Selectable<DB["passkeys"]>;

/** Over all organizations: a person has no organization_id. */
export const listPasskeys = (dispatcherDb: Database | Tx, userId: string): Promise<PasskeyRow[]> =>
  dispatcherDb.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("id").execute();

/** Over all organizations: who signs in has no organization_id yet. */
export const findPasskey = (dispatcherDb: Database, credentialId: Buffer): Promise<PasskeyRow | undefined> =>
  dispatcherDb.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();

/** Over all organizations: a person has no organization_id. Returns false if somebody has registered it. */
export async function insertPasskey(tx: Tx, passkey: Insertable<DB["passkeys"]>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("passkeys")
    .values(passkey)
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/**
 * Over all organizations: a person has no organization_id. Returns false if the counter has not grown: a copy of the authenticator is in use.
 * Those that do not count always say 0.
 */
export async function usePasskey(
  dispatcherDb: Database,
  id: string,
  { counter, now }: { counter: number; now: Temporal.Instant },
): Promise<boolean> {
  const { rows } = await sql`
    update passkeys set counter = ${counter}, last_used_at = ${now}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning 1`.execute(dispatcherDb);
  return rows.length === 1;
}

type Own = { userId: string; id: string };

/** Over all organizations: a person has no organization_id. */
export const renamePasskey = (
  dispatcherDb: Database,
  { userId, id }: Own,
  name: string,
): Promise<PasskeyRow | undefined> =>
  dispatcherDb
    .updateTable("passkeys")
    .set({ name })
    .where("user_id", "=", userId)
    .where(sql<string>`id::text`, "=", id)
    .returningAll()
    .executeTakeFirst();

/** Over all organizations: a person has no organization_id. Returns false if the person has no such passkey. */
export async function deletePasskey(dispatcherDb: Database, { userId, id }: Own): Promise<boolean> {
  const { numDeletedRows } = await dispatcherDb
    .deleteFrom("passkeys")
    .where("user_id", "=", userId)
    .where(sql<string>`id::text`, "=", id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Over all organizations: a person has no organization_id. */
export async function deletePasskeys(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("passkeys").where("user_id", "=", userId).execute();
}

/** Over all organizations: who answers a challenge may be unknown yet, and has no organization_id. */
export async function insertChallenge(
  dispatcherDb: Database,
  challenge: Insertable<DB["passkey_challenges"]>,
): Promise<void> {
  await dispatcherDb.insertInto("passkey_challenges").values(challenge).execute();
}

type Challenge = { hash: Buffer; purpose: string; userId: string | null; now: Temporal.Instant };

/** Over all organizations: as above. The row that is deleted is the right to go on, so a challenge works once, whatever is wrong otherwise. */
export async function takeChallenge(
  dispatcherDb: Database,
  { hash, purpose, userId, now }: Challenge,
): Promise<boolean> {
  const { rows } = await sql<{ fits: boolean }>`
    delete from passkey_challenges where challenge_hash = ${hash}
    returning purpose = ${purpose} and user_id is not distinct from ${userId}::uuid and expires_at > ${now} as fits`.execute(
    dispatcherDb,
  );
  return rows[0]?.fits ?? false;
}

/** Over all organizations: as above. */
export async function forgetChallenges(dispatcherDb: Database, before: Temporal.Instant): Promise<void> {
  await dispatcherDb.deleteFrom("passkey_challenges").where("expires_at", "<", before).execute();
}
