/** All SQL on identity_providers, identities and provider_sign_ins. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

type Stored = Selectable<DB["identity_providers"]>;
/** With the code of a role that the organization made. */
export type ProviderRow = Stored & { auto_join_role_code: string | null };
export type SecretColumns = Pick<Stored, "client_secret" | "sealed_client_secret" | "data_key_version">;

const providers = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("identity_providers")
    .leftJoin("roles", (join) =>
      join
        .onRef("roles.organization_id", "=", "identity_providers.organization_id")
        .onRef("roles.id", "=", "identity_providers.auto_join_role_id"),
    )
    .selectAll("identity_providers")
    .select("roles.code as auto_join_role_code")
    .where("identity_providers.organization_id", "=", organizationId)
    .orderBy("identity_providers.created_at")
    .orderBy("identity_providers.id");

export const listProviders = (tx: Tx, organizationId: string): Promise<ProviderRow[]> =>
  providers(tx, organizationId).execute();

export const findProvider = (tx: Tx, organizationId: string, id: string): Promise<ProviderRow | undefined> =>
  providers(tx, organizationId).where(sql<string>`identity_providers.id::text`, "=", id).executeTakeFirst();

/** The oldest that is enabled and claims the domain. Whether the domain is approved is another question. */
export const findProviderOfDomain = (
  tx: Tx,
  organizationId: string,
  domain: string,
): Promise<ProviderRow | undefined> =>
  providers(tx, organizationId)
    .where("enabled", "=", true)
    .where(sql<boolean>`${domain} = any(mail_domains)`)
    .limit(1)
    .executeTakeFirst();

export async function insertProvider(
  tx: Tx,
  organizationId: string,
  provider: Omit<Insertable<DB["identity_providers"]>, "organization_id">,
): Promise<void> {
  await tx
    .insertInto("identity_providers")
    .values({ ...provider, organization_id: organizationId })
    .execute();
}

/** Returns false if there is no such provider. */
export async function updateProvider(
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["identity_providers"]>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("identity_providers")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where(sql<string>`id::text`, "=", id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** With its identities. */
export async function deleteProvider(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx
    .deleteFrom("identity_providers")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}

type Subject = { providerId: string; subject: string };

export async function findIdentity(
  tx: Tx,
  organizationId: string,
  { providerId, subject }: Subject,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom("identities")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .where("provider_id", "=", providerId)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.user_id;
}

export async function insertIdentity(
  tx: Tx,
  organizationId: string,
  { providerId, subject, userId, now }: Subject & { userId: string; now: Temporal.Instant },
): Promise<void> {
  await tx
    .insertInto("identities")
    .values({
      organization_id: organizationId,
      provider_id: providerId,
      subject,
      user_id: userId,
      created_at: now,
    })
    .execute();
}

type Next = { version: number; after: string | null; limit: number };

/** Those that are not sealed with the data key of this version, locked until the transaction ends. */
export const holdNextProviders = (tx: Tx, organizationId: string, { version, after, limit }: Next): Promise<Stored[]> =>
  tx
    .selectFrom("identity_providers")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("data_key_version", "is distinct from", version)
    .$if(after !== null, (query) => query.where("id", ">", after))
    .orderBy("id")
    .limit(limit)
    .forNoKeyUpdate()
    .execute();

/** Over all organizations, for the dispatcher. */
export async function findOrganizationsWithPlainSecrets(dispatcherDb: Database): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select distinct organization_id from identity_providers where data_key_version is null`.execute(dispatcherDb);
  return rows.map(({ organization_id }) => organization_id);
}

type Counted = { plain: number; sealed: number; outdated: number };

/** Over all organizations, for the dispatcher. */
export async function countProviderSecrets(dispatcherDb: Database): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select count(*) filter (where held.data_key_version is null)::integer as plain,
      count(held.data_key_version)::integer as sealed, count(key.retired_at)::integer as outdated
    from identity_providers as held
    left join data_keys as key
      on key.organization_id = held.organization_id and key.version = held.data_key_version`.execute(dispatcherDb);
  return rows[0] ?? { plain: 0, sealed: 0, outdated: 0 };
}

/** Over all organizations, with the organization_id of the provider: the browser that comes back has only the state. */
export async function insertProviderSignIn(
  dispatcherDb: Database,
  signIn: Insertable<DB["provider_sign_ins"]>,
): Promise<void> {
  await dispatcherDb.insertInto("provider_sign_ins").values(signIn).execute();
}

type Taken = { stateHash: Buffer; browserHash: Buffer; now: Temporal.Instant };

/** Over all organizations, to find the organization_id. The row that is deleted is the right to go on, so a state works once. */
export async function takeProviderSignIn(
  dispatcherDb: Database,
  { stateHash, browserHash, now }: Taken,
): Promise<Selectable<DB["provider_sign_ins"]> | undefined> {
  return dispatcherDb
    .deleteFrom("provider_sign_ins")
    .where("state_hash", "=", stateHash)
    .where("browser_hash", "=", browserHash)
    .where("expires_at", ">", sql<Temporal.Instant>`${now}`)
    .returningAll()
    .executeTakeFirst();
}

/** Over all organizations: a sign-in is forgotten by its age, whatever its organization_id. */
export async function forgetProviderSignIns(dispatcherDb: Database, before: Temporal.Instant): Promise<void> {
  await dispatcherDb.deleteFrom("provider_sign_ins").where("expires_at", "<", before).execute();
}
