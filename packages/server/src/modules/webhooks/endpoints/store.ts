/** All SQL on webhook_endpoints as records, and on webhook_keys. The SQL of deliveries is in the folder deliveries. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { SealedEndpoint, WebhookEndpointRow } from "./schema.ts";

const live = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("webhook_endpoints")
    .selectAll("webhook_endpoints")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null);

export const findEndpoint = async (
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

export const lockEndpoint = async (
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).forNoKeyUpdate().executeTakeFirst() : undefined;

/** Oldest first: the first one is the organization's `webhook_url`. */
export const listEndpoints = (tx: Tx, organizationId: string): Promise<WebhookEndpointRow[]> =>
  live(tx, organizationId).orderBy("created_at").orderBy("id").execute();

/** There are at most ten. */
export const pageOfEndpoints = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(live(tx, organizationId), list, { sorts: { created_at: [byInstant("created_at")] }, search: ["webhook_url"] });

/** Serializes additions until the transaction ends, so that two simultaneous ones cannot exceed the limit together. */
export async function holdEndpointsOf(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook endpoints ${organizationId}`}, 0))`.execute(tx);
}

export const insertEndpoint = (
  tx: Tx,
  organizationId: string,
  endpoint: Omit<Insertable<DB["webhook_endpoints"]>, "organization_id">,
): Promise<WebhookEndpointRow> =>
  tx
    .insertInto("webhook_endpoints")
    .values({ ...endpoint, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateEndpoint = async (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["webhook_endpoints"]>,
): Promise<WebhookEndpointRow | undefined> =>
  isUuid(id)
    ? tx
        .updateTable("webhook_endpoints")
        .set(changes)
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .returningAll()
        .executeTakeFirst()
    : undefined;

export type SigningKeyRow = Selectable<DB["webhook_keys"]>;

export const findSigningKey = (tx: Tx, organizationId: string): Promise<SigningKeyRow | undefined> =>
  tx.selectFrom("webhook_keys").selectAll().where("organization_id", "=", organizationId).executeTakeFirst();

export const holdSigningKey = (tx: Tx, organizationId: string): Promise<SigningKeyRow | undefined> =>
  tx
    .selectFrom("webhook_keys")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Keeps an existing key. */
export async function insertSigningKey(tx: Tx, key: Insertable<DB["webhook_keys"]>): Promise<void> {
  await tx
    .insertInto("webhook_keys")
    .values(key)
    .onConflict((conflict) => conflict.column("organization_id").doNothing())
    .execute();
}

export async function updateSigningKey(
  tx: Tx,
  organizationId: string,
  columns: Updateable<DB["webhook_keys"]>,
): Promise<void> {
  await tx.updateTable("webhook_keys").set(columns).where("organization_id", "=", organizationId).execute();
}

type Next = { version: number; after: string | null; limit: number };

/** Endpoints that are not sealed with the data key of this version, deleted ones included, locked until the transaction ends. */
export const holdNextSecrets = (
  tx: Tx,
  organizationId: string,
  { version, after, limit }: Next,
): Promise<SealedEndpoint[]> =>
  tx
    .selectFrom("webhook_endpoints")
    .select(["organization_id", "id", "secret", "old_secrets", "sealed_secrets", "data_key_version"])
    .where("organization_id", "=", organizationId)
    .where("data_key_version", "is distinct from", version)
    .$if(after !== null, (query) => query.where("id", ">", after))
    .orderBy("id")
    .limit(limit)
    .forNoKeyUpdate()
    .execute();

export async function updateSecrets(
  tx: Tx,
  organizationId: string,
  id: string,
  columns: Updateable<DB["webhook_endpoints"]>,
): Promise<void> {
  await tx
    .updateTable("webhook_endpoints")
    .set(columns)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}

/** Over all organizations, for the dispatcher. */
export const findOrganizationsWithPlainSecrets = (dispatcherDb: Database): Promise<string[]> =>
  organizationsOf(dispatcherDb, "webhook_endpoints");

/** Over all organizations, for the dispatcher. */
export const findOrganizationsWithPlainKeys = (dispatcherDb: Database): Promise<string[]> =>
  organizationsOf(dispatcherDb, "webhook_keys");

type SealedTable = "webhook_endpoints" | "webhook_keys";

/** Over all organizations, for the dispatcher. */
async function organizationsOf(dispatcherDb: Database, table: SealedTable): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select distinct organization_id from ${sql.table(table)} where data_key_version is null`.execute(dispatcherDb);
  return rows.map(({ organization_id }) => organization_id);
}

type Counted = { plain: number; sealed: number; outdated: number };

/** Over all organizations, for the dispatcher. */
export const countEndpointSecrets = (dispatcherDb: Database): Promise<Counted> =>
  countOf(dispatcherDb, "webhook_endpoints");

/** Over all organizations, for the dispatcher. */
export const countSigningKeys = (dispatcherDb: Database): Promise<Counted> => countOf(dispatcherDb, "webhook_keys");

/** Over all organizations, for the dispatcher. */
async function countOf(dispatcherDb: Database, table: SealedTable): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select count(*) filter (where held.data_key_version is null)::integer as plain,
      count(held.data_key_version)::integer as sealed, count(key.retired_at)::integer as outdated
    from ${sql.table(table)} as held
    left join data_keys as key
      on key.organization_id = held.organization_id and key.version = held.data_key_version`.execute(dispatcherDb);
  return rows[0] ?? { plain: 0, sealed: 0, outdated: 0 };
}
