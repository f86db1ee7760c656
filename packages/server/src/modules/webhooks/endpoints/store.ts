/** All SQL on webhook_endpoints as records, and on webhook_keys. The SQL of deliveries is in the folder deliveries. */
import { type Insertable, sql, type Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { WebhookEndpointRow } from "./schema.ts";

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

/** PEM. */
export async function findPrivateKey(tx: Tx, organizationId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom("webhook_keys")
    .select("private_key")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row?.private_key;
}

/** Keeps an existing key. */
export async function insertPrivateKey(
  tx: Tx,
  organizationId: string,
  privateKey: string,
  now: Temporal.Instant,
): Promise<void> {
  await tx
    .insertInto("webhook_keys")
    .values({ organization_id: organizationId, private_key: privateKey, created_at: now })
    .onConflict((conflict) => conflict.column("organization_id").doNothing())
    .execute();
}
