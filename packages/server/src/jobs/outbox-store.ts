/** All SQL on the outbox. */

import { sql } from "kysely";
import { batchedWrite } from "../platform/postgres/batch.ts";
import type { Database, Tx } from "../platform/postgres/database.ts";
import { failedAttempt } from "./backoff.ts";
import { NOTHING_WAITS, type Patience, RETRY_MAX, ROWS_MAX, type Waiting } from "./waiting.ts";

export type OutboxMessage = {
  organizationId: string;
  /** The same for all attempts, so that receivers can recognize a repeat. */
  id: string;
  webhookType: string;
  objectType: string;
  objectId: string;
  /** The object's API form at that moment, as text, so that its bytes never change. */
  payload: string;
  createdAt: Temporal.Instant;
};

export const insertMessages = batchedWrite<OutboxMessage & { changeKey: string }>(
  async (tx, organizationId, messages) => {
    const rows = messages.map((message) => ({
      organization_id: organizationId,
      id: message.id,
      webhook_type: message.webhookType,
      object_type: message.objectType,
      object_id: message.objectId,
      change_key: message.changeKey,
      payload: message.payload,
      created_at: message.createdAt,
      ready_at: message.createdAt,
    }));
    await tx.insertInto("outbox").values(rows).execute();
  },
);

/** The next messages, or only the message with this id if it still waits. */
export type Requested = { limit: number; id?: string };

/** Over all organizations, for the dispatcher. Selects by status, never by 'id > last seen', which would skip late commits. */
export const claimMessages = (tx: Tx, now: Temporal.Instant, { limit, id }: Requested): Promise<OutboxMessage[]> =>
  tx
    .selectFrom("outbox")
    .select([
      "organization_id as organizationId",
      "id",
      "webhook_type as webhookType",
      "object_type as objectType",
      "object_id as objectId",
      "payload",
      "created_at as createdAt",
    ])
    .where("dispatched_at", "is", null)
    .where("ready_at", "<=", now)
    .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
    .orderBy("ready_at")
    // Messages of the same instant stay in the order in which they were created.
    .orderBy("id")
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();

export async function updatePayload(tx: Tx, organizationId: string, id: string, payload: string): Promise<void> {
  await tx
    .updateTable("outbox")
    .set({ payload })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("dispatched_at", "is", null)
    .execute();
}

/** Gives each message its position, in their order. The row of the head stays locked: a transaction takes those of several organizations in the order of their ids. */
export async function finishMessages(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
  now: Temporal.Instant,
): Promise<void> {
  await sql`
    with head as (
      insert into message_heads (organization_id, position) values (${organizationId}, ${ids.length}::bigint)
      on conflict (organization_id) do update set position = message_heads.position + excluded.position
      returning position
    )
    update outbox set dispatched_at = ${now}, position = head.position - ${ids.length}::bigint + done.ordinal
    from head, unnest(${ids}::uuid[]) with ordinality as done (id, ordinal)
    where outbox.organization_id = ${organizationId} and outbox.id = done.id`.execute(tx);
}

export async function postponeMessage(
  dispatcherDb: Database,
  { organizationId, id }: OutboxMessage,
  now: Temporal.Instant,
  error: string,
): Promise<void> {
  await dispatcherDb
    .updateTable("outbox")
    .set(failedAttempt({ now, error, secondsMax: 3600 }))
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("dispatched_at", "is", null)
    .execute();
}

/** Over all organizations, for the dispatcher: messages that were not dispatched to the subscribers. */
export async function countWaitingMessages(
  dispatcherDb: Database,
  { now, since, attempts }: Patience,
): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(created_at) as "oldestAt"
    from (
      select ready_at, created_at, attempts from outbox
      where dispatched_at is null and ready_at <= ${now.add(RETRY_MAX)}::timestamptz
      order by ready_at limit ${ROWS_MAX}::integer
    ) as message
    where ready_at < ${since}::timestamptz or attempts >= ${attempts}::integer`.execute(dispatcherDb);
  return rows[0] ?? NOTHING_WAITS;
}

/** Deletes the payloads of dispatched, locked messages. The rows stay as proof that they were published. */
export async function forgetPayloads(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
  now: Temporal.Instant,
): Promise<void> {
  await sql`
    with forgotten as (
      update outbox set payload = 'null', forgotten_at = ${now}
      where organization_id = ${organizationId} and id = any(${ids}::uuid[])
      returning position
    )
    update message_heads set forgotten_position = greatest(forgotten_position, (select max(position) from forgotten))
    where organization_id = ${organizationId}`.execute(tx);
}
