/** All SQL on totp_factors and recovery_codes. Over all organizations, for the dispatcher: a person has no organization_id. */
import { type Selectable, sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type TotpRow = Selectable<DB["totp_factors"]>;
export type SeedColumns = Pick<TotpRow, "secret" | "sealed_secret" | "master_version">;

/** Over all organizations: a person has no organization_id. */
export const findTotp = (dispatcherDb: Database | Tx, userId: string): Promise<TotpRow | undefined> =>
  dispatcherDb.selectFrom("totp_factors").selectAll().where("user_id", "=", userId).executeTakeFirst();

/** Over all organizations: a person has no organization_id. Replaces one that was never confirmed. Returns false if one is confirmed. */
export async function saveNewTotp(
  dispatcherDb: Database,
  userId: string,
  seed: SeedColumns & { created_at: Temporal.Instant },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await dispatcherDb
    .insertInto("totp_factors")
    .values({ user_id: userId, ...seed })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet(seed).where("totp_factors.confirmed_at", "is", null),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

type Step = { step: number; now: Temporal.Instant };

/** Over all organizations: a person has no organization_id. Returns false if another request has confirmed it. */
export async function confirmTotp(tx: Tx, userId: string, { step, now }: Step): Promise<boolean> {
  const { rows } = await sql`
    update totp_factors set confirmed_at = ${now}, last_step = ${step}
    where user_id = ${userId} and confirmed_at is null returning 1`.execute(tx);
  return rows.length === 1;
}

/** Over all organizations: a person has no organization_id. The row that is updated is the right to go on: each code works once. */
export async function useStep(dispatcherDb: Database, userId: string, step: number): Promise<boolean> {
  const { rows } = await sql`
    update totp_factors set last_step = ${step}
    where user_id = ${userId} and confirmed_at is not null and last_step < ${step} returning 1`.execute(dispatcherDb);
  return rows.length === 1;
}

/** Over all organizations: a person has no organization_id. Returns false if there is none. */
export async function deleteTotp(dispatcherDb: Database | Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await dispatcherDb
    .deleteFrom("totp_factors")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Over all organizations: a person has no organization_id. The old ones stop working. */
export async function replaceRecoveryCodes(
  tx: Tx,
  userId: string,
  { hashes, now }: { hashes: readonly Buffer[]; now: Temporal.Instant },
): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash, created_at: now }));
  await tx.insertInto("recovery_codes").values(rows).execute();
}

/** Over all organizations: a person has no organization_id. */
export async function deleteRecoveryCodes(dispatcherDb: Database | Tx, userId: string): Promise<void> {
  await dispatcherDb.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/** Over all organizations: a person has no organization_id. The row that is updated is the right to go on: each code works once. */
export async function takeRecoveryCode(
  dispatcherDb: Database,
  userId: string,
  { hash, now }: { hash: Buffer; now: Temporal.Instant },
): Promise<boolean> {
  const { rows } = await sql`
    update recovery_codes set used_at = ${now}
    where user_id = ${userId} and code_hash = ${hash} and used_at is null returning 1`.execute(dispatcherDb);
  return rows.length === 1;
}

/** Over all organizations: a person has no organization_id. */
export async function countRecoveryCodes(dispatcherDb: Database | Tx, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from recovery_codes where user_id = ${userId} and used_at is null`.execute(
    dispatcherDb,
  );
  return rows[0]?.count ?? 0;
}

/** Over all organizations: a person has no organization_id. Seeds that are plain or under another master key, locked. */
export const holdSeedsToSeal = (
  tx: Tx,
  { first, after, limit }: { first: number; after: string | null; limit: number },
): Promise<TotpRow[]> =>
  tx
    .selectFrom("totp_factors")
    .selectAll()
    .where("master_version", "is distinct from", first)
    .$if(after !== null, (query) => query.where("user_id", ">", after))
    .orderBy("user_id")
    .limit(limit)
    .forUpdate()
    .execute();

/** Over all organizations: a person has no organization_id. */
export async function updateSeed(tx: Tx, userId: string, seed: SeedColumns): Promise<void> {
  await tx.updateTable("totp_factors").set(seed).where("user_id", "=", userId).execute();
}

/** Over all organizations: a person has no organization_id. `outdated`: sealed with another master key than the first one. */
export async function countSeeds(
  dispatcherDb: Database,
  first: number | undefined,
): Promise<{ plain: number; sealed: number; outdated: number }> {
  const { rows } = await sql<{ plain: number; sealed: number; outdated: number }>`
    select count(*) filter (where master_version is null)::integer as plain, count(master_version)::integer as sealed,
      count(*) filter (where master_version <> ${first ?? null}::integer)::integer as outdated
    from totp_factors`.execute(dispatcherDb);
  return rows[0] ?? { plain: 0, sealed: 0, outdated: 0 };
}
