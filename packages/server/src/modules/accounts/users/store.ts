/** All SQL on users and sign_in_attempts. Over all organizations, for the dispatcher: a person may belong to several, or to none yet. */
import { type Insertable, sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

const COLUMNS = ["id", "email", "name", "password_hash", "disabled_at"] as const;

/** Over all organizations: who signs in has no organization_id yet. */
export const findUserByEmail = (dispatcherDb: Database | Tx, email: string) =>
  dispatcherDb.selectFrom("users").select(COLUMNS).where("email", "=", email).executeTakeFirst();
/** Over every organization_id of a person, as many queries for an unknown address as for a known one. */
export const organizationsOfEmail = async (dispatcherDb: Database, email: string): Promise<string[]> => {
  const members = dispatcherDb.selectFrom("members").innerJoin("users", "users.id", "members.user_id");
  const rows = await members.select("organization_id").where("email", "=", email).execute();
  return rows.map(({ organization_id }) => organization_id);
};
export type User = NonNullable<Awaited<ReturnType<typeof findUserByEmail>>>;

/** Over all organizations: a session has no organization_id. */
export const findUser = (dispatcherDb: Database | Tx, id: string) =>
  dispatcherDb.selectFrom("users").select(COLUMNS).where("id", "=", id).executeTakeFirst();

/** Over all organizations, with the organization_id of each membership, for the command line. */
export const listUsers = (dispatcherDb: Database) =>
  dispatcherDb
    .selectFrom("users")
    .leftJoin("members", "members.user_id", "users.id")
    .select(["users.id", "email", "name", "users.created_at", "disabled_at", "organization_id", "built_in_role"])
    .orderBy("users.created_at")
    .orderBy("users.id")
    .execute();

/** Over all organizations: a user has no organization_id. */
export async function insertUser(tx: Tx, user: Insertable<DB["users"]>): Promise<void> {
  await tx.insertInto("users").values(user).execute();
}

/** Over all organizations: a user has no organization_id. */
export async function setPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", userId).execute();
}

/** Over all organizations: a user has no organization_id. `disabledAt` null lets the person sign in again. */
export async function setDisabled(tx: Tx, userId: string, disabledAt: Temporal.Instant | null): Promise<void> {
  await tx.updateTable("users").set({ disabled_at: disabledAt }).where("id", "=", userId).execute();
}

type Window = { max: number; now: Temporal.Instant; since: Temporal.Instant };

/**
 * Over all organizations: an attempt has no organization_id. Counts one more and returns true, or returns false if there were as many since.
 * One statement, so that attempts at the same time count each other.
 */
export async function countAttempt(dispatcherDb: Database, subject: Buffer, window: Window): Promise<boolean> {
  const { max, now, since } = window;
  const { rows } = await sql`
    insert into sign_in_attempts (subject, attempts, last_at) values (${subject}, array[${now}::timestamptz], ${now})
    on conflict (subject) do update set
      attempts = array(select one from unnest(sign_in_attempts.attempts) as one where one > ${since}) || excluded.attempts,
      last_at = ${now}
    where (select count(*) from unnest(sign_in_attempts.attempts) as one where one > ${since}) < ${max}
    returning 1`.execute(dispatcherDb);
  return rows.length === 1;
}

/** Over all organizations: an attempt has no organization_id. Takes one back. */
export async function forgiveAttempt(dispatcherDb: Database, subject: Buffer): Promise<void> {
  await sql`
    update sign_in_attempts set attempts = trim_array(attempts, 1)
    where subject = ${subject} and cardinality(attempts) > 0`.execute(dispatcherDb);
}

/** Over all organizations: an attempt has no organization_id. */
export async function forgetAttempts(dispatcherDb: Database, before: Temporal.Instant): Promise<void> {
  await dispatcherDb.deleteFrom("sign_in_attempts").where("last_at", "<", before).execute();
}
