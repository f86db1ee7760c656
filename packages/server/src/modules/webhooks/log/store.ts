/** All SQL that reads the log of deliveries, and that opens deliveries again. Taking and settling them is the module webhooks'. */

import { sql } from "kysely";
import { validate as isUuid } from "uuid";
import { pageOf } from "../../../http/page-of.ts";
import type { Page, PageOf } from "../../../http/pagination.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { AttemptRow, DeliveryRow, LoggedDelivery, WebhookFilter } from "./schema.ts";

/** What fits; nothing fits what is no id. */
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

export const pageOfDeliveries = (
  tx: Tx,
  organizationId: string,
  filter: WebhookFilter,
  page: Page,
): Promise<PageOf<DeliveryRow>> => pageOf(filtered(tx, organizationId, filter), page);

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

/** As text: the bytes that are sent. */
export async function findPayload(tx: Tx, organizationId: string, messageId: string): Promise<string> {
  const { payload } = await tx
    .selectFrom("outbox")
    .select("payload")
    .where("organization_id", "=", organizationId)
    .where("id", "=", messageId)
    .executeTakeFirstOrThrow();
  return payload;
}

/** Why nothing may be sent to it, if so. */
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
 * Held until the transaction ends, so that no message of these deliveries is forgotten meanwhile; whoever forgets them looks again at
 * what is open once it has them.
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

/** Where sending it again changes something: it is settled, or waits. What is under way, or ready, is sent anyway. */
const isIdle = (now: Temporal.Instant) =>
  sql<boolean>`leased_until is null and (settled_at is not null or ready_at > ${now}::timestamptz)`;

/** Each that is settled or waits becomes ready, with all its attempts before it where it was settled. Returns how many. */
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
  /** Only what was made before, and not asked for again since: a replay that is repeated sends nothing twice. */
  requestedAt: Temporal.Instant;
  now: Temporal.Instant;
};

const replayed = (tx: Tx, organizationId: string, { filter, requestedAt: askedAt, now }: Replay) =>
  filtered(tx, organizationId, filter)
    .where("created_at", "<=", askedAt)
    .where((where) => where.or([where("replayed_at", "is", null), where("replayed_at", "<", askedAt)]))
    .where(isIdle(now));

const liveEndpoints = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("webhook_endpoints as endpoint")
    .select("endpoint.id")
    .where("endpoint.organization_id", "=", organizationId)
    .where("endpoint.deleted_at", "is", null)
    .where("endpoint.disabled_at", "is", null);

/** How many are sent again, and how many are not, because nothing is sent to their endpoint. */
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

/** The next so many that are sent again, oldest first. */
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
