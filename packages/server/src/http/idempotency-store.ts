/** All SQL on idempotency_keys. */
import type { Database, Tx } from "../platform/postgres/database.ts";

type Key = { key: string; hash: Buffer; now: Temporal.Instant; staleBefore: Temporal.Instant };

/** False if the key is already stored. Waits for a transaction that has locked the same key. */
export async function takeKey(tx: Tx, organizationId: string, { key, hash, now, staleBefore }: Key): Promise<boolean> {
  const row = { request_hash: hash, status: 0, answer: "null", created_at: now };
  const taken = await tx
    .insertInto("idempotency_keys")
    .values({ organization_id: organizationId, key, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(["organization_id", "key"])
        .doUpdateSet(row)
        .where("idempotency_keys.created_at", "<", staleBefore),
    )
    .returning("key")
    .executeTakeFirst();
  return taken !== undefined;
}

export const recallAnswer = (tx: Tx, organizationId: string, key: string) =>
  tx
    .selectFrom("idempotency_keys")
    .select(["request_hash", "status", "answer"])
    .where("organization_id", "=", organizationId)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();

export async function rememberAnswer(
  tx: Tx,
  organizationId: string,
  { key, status, answer }: { key: string; status: number; answer: string },
): Promise<void> {
  await tx
    .updateTable("idempotency_keys")
    .set({ status, answer })
    .where("organization_id", "=", organizationId)
    .where("key", "=", key)
    .execute();
}

/** Over all organizations, for the dispatcher. */
export async function forgetAnswersBefore(dispatcherDb: Database, instant: Temporal.Instant): Promise<void> {
  await dispatcherDb.deleteFrom("idempotency_keys").where("created_at", "<", instant).execute();
}
