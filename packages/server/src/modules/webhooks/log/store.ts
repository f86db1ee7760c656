/** All SQL that reads the log of deliveries, and that reopens deliveries. Claiming and settling are in the folder deliveries. */

import { sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { AttemptRow, DeliveryRow, LoggedDelivery, WebhookFilter } from "./schema.ts";

/** The deliveries that match. An invalid id matches nothing. */
function filtered(tx: Tx, organizationId: string, filter: WebhookFilter) {
  const { endpointId, webhookTypes, objectId, status, createdFrom, createdTo } = filter;
  let query = tx
    .selectFrom("webhook_deliveries")
    .selectAll("webhook_deliveries")
    .where("organization_id", "=", organizationId);
  if (endpointId !== undefined)
    query = isUuid(endpointId)
      ? query.where("endpoint_id", "=", endpointId)
      : query.where((where) => where.lit<boolean>(false));
  if (status !== undefined) query = query.where("status", "=", status);
  if (createdFrom) query = query.where("created_at", ">=", createdFrom);
  if (createdTo) query = query.where("created_at", "<=", createdTo);
  if (webhookTypes === undefined) return query;
  if (objectId !== undefined && !isUuid(objectId)) return query.where((where) => where.lit<boolean>(false));
  return query.where("message_id", "in", (from) => {
    const messages = from
      .selectFrom("outbox")
      .select("outbox.id")
      .where("outbox.organization_id", "=", organizationId)
      .where("outbox.webhook_type", "in", webhookTypes);
    return objectId === undefined ? messages : messages.where("outbox.object_id", "=", objectId);
  });
}

/** Indexes: webhook_deliveries_newest, and webhook_deliveries_list for one endpoint. */
export const pageOfDeliveries = (tx: Tx, organizationId: string, filter: WebhookFilter, list: ListRequest) =>
  pageOf(filtered(tx, organizationId, filter), list, {
    sorts: { created_at: [byInstant("created_at")] },
    filters: { status: "status" },
  });

export const findDelivery = async (tx: Tx, organizationId: string, id: string): Promise<DeliveryRow | undefined> =>
  isUuid(id)
    ? tx
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .executeTakeFirst()
    : undefined;

/** In the order of the deliveries. */
export async function withLogs(
  tx: Tx,
  organizationId: string,
  deliveries: readonly DeliveryRow[],
): Promise<LoggedDelivery[]> {
  const messageIds = deliveries.map(({ message_id }) => message_id);
  const messages = await tx
    .selectFrom("outbox")
    .select(["id", "webhook_type", "object_type", "object_id"])
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(messageIds))
    .execute();
  const messageOf = new Map(messages.map((message) => [message.id, message]));
  const attempts = Map.groupBy(
    await findAttempts(
      tx,
      organizationId,
      deliveries.map(({ id }) => id),
    ),
    ({ delivery_id }) => delivery_id,
  );
  return deliveries.flatMap((delivery) => {
    const message = messageOf.get(delivery.message_id);
    return message ? [{ delivery, message, attempts: attempts.get(delivery.id) ?? [] }] : [];
  });
}

const findAttempts = (tx: Tx, organizationId: string, deliveryIds: readonly string[]): Promise<AttemptRow[]> =>
  tx
    .selectFrom("webhook_attempts")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("delivery_id", "=", anyOf(deliveryIds))
    .orderBy("delivery_id")
    .orderBy("number")
    .execute();

/** As text: the exact bytes that are sent. */
export async function findPayload(tx: Tx, organizationId: string, messageId: string): Promise<string> {
  const { payload } = await tx
    .selectFrom("outbox")
    .select("payload")
    .where("organization_id", "=", organizationId)
    .where("id", "=", messageId)
    .executeTakeFirstOrThrow();
  return payload;
}

/** Why nothing may be sent to the endpoint, if so. */
export async function findObstacle(
  tx: Tx,
  organizationId: string,
  endpointId: string,
): Promise<"webhook_endpoint_deleted" | "webhook_endpoint_disabled" | undefined> {
  const { deleted_at, disabled_at } = await tx
    .selectFrom("webhook_endpoints")
    .select(["deleted_at", "disabled_at"])
    .where("organization_id", "=", organizationId)
    .where("id", "=", endpointId)
    .executeTakeFirstOrThrow();
  if (deleted_at) return "webhook_endpoint_deleted";
  return disabled_at ? "webhook_endpoint_disabled" : undefined;
}

/**
 * Locks the messages of these deliveries until the transaction ends, so that they are not deleted meanwhile. The deleting job checks for
 * open deliveries again once it has the lock.
 */
export async function holdMessagesOf(tx: Tx, organizationId: string, deliveryIds: readonly string[]): Promise<void> {
  await sql`
    select from outbox
    where organization_id = ${organizationId} and id in (
      select message_id from webhook_deliveries
      where organization_id = ${organizationId} and id = any(${deliveryIds}::uuid[])
    )
    order by id
    for key share`.execute(tx);
}

/** Deliveries for which sending again changes something: they are settled, or wait. Those in progress or ready are sent anyway. */
const isIdle = (now: Temporal.Instant) =>
  sql<boolean>`leased_until is null and (settled_at is not null or ready_at > ${now}::timestamptz)`;

/** Makes settled and waiting deliveries ready; a settled one gets its full number of attempts again. Returns how many. */
export async function reopenDeliveries(
  tx: Tx,
  organizationId: string,
  { ids, requestedAt, now }: { ids: readonly string[]; requestedAt: Temporal.Instant; now: Temporal.Instant },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries
    set status = case when attempts = 0 then 'pending' else 'retrying' end,
      attempts_before = case when settled_at is null then attempts_before else attempts end,
      ready_at = ${now},
      settled_at = null,
      last_error = case when attempts = 0 then null else last_error end,
      replayed_at = ${requestedAt}
    where organization_id = ${organizationId} and id = any(${ids}::uuid[]) and ${isIdle(now)}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export type Replay = {
  filter: WebhookFilter;
  /** Only deliveries created before this instant and not reopened since: a repeated replay sends nothing twice. */
  requestedAt: Temporal.Instant;
  now: Temporal.Instant;
};

const replayed = (tx: Tx, organizationId: string, { filter, requestedAt, now }: Replay) =>
  filtered(tx, organizationId, filter)
    .where("created_at", "<=", requestedAt)
    .where((where) => where.or([where("replayed_at", "is", null), where("replayed_at", "<", requestedAt)]))
    .where(isIdle(now));

const liveEndpoints = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("webhook_endpoints as endpoint")
    .select("endpoint.id")
    .where("endpoint.organization_id", "=", organizationId)
    .where("endpoint.deleted_at", "is", null)
    .where("endpoint.disabled_at", "is", null);

/** How many are sent again, and how many are not, because their endpoint is disabled or deleted. */
export async function countReplay(
  tx: Tx,
  organizationId: string,
  replay: Replay,
): Promise<{ live: number; dead: number }> {
  const { all, live } = await replayed(tx, organizationId, replay)
    .clearSelect()
    .select(({ fn }) => [
      fn.countAll<bigint>().as("all"),
      fn.countAll<bigint>().filterWhere("endpoint_id", "in", liveEndpoints(tx, organizationId)).as("live"),
    ])
    .executeTakeFirstOrThrow();
  return { live: Number(live), dead: Number(all - live) };
}

export type Place = { createdAt: Temporal.Instant; id: string };

/** The next deliveries to send again, oldest first. */
export async function nextReplayed(
  tx: Tx,
  organizationId: string,
  replay: Replay,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<Place[]> {
  const query = replayed(tx, organizationId, replay)
    .where("endpoint_id", "in", liveEndpoints(tx, organizationId))
    .clearSelect()
    .select(["created_at as createdAt", "id"])
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit);
  return (
    after ? query.where(sql<boolean>`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`) : query
  ).execute();
}
