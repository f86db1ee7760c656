/** All SQL on event_keys, events, event_heads and event_counts. */
import { parseInstant } from "@tallystick/core/time";
import { sql } from "kysely";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, isBeyond } from "../../../http/page-of.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { EventColumns } from "./event-columns.ts";

/** An event of a group that existed before; `is_same`: with this body. The stored values are unknown if its payload is gone. */
export type RepeatRow = {
  /** Index in the group, from 1. */
  ordinal: number;
  is_same: boolean;
  stored_id: string | null;
  stored_timestamp: Temporal.Instant | null;
  stored_at: Temporal.Instant | null;
  stored_properties: string | null;
};

/**
 * Stores a group in one call, which sets the organization itself. Without a transaction of the caller, the call is its own transaction.
 */
export async function storeEvents(
  db: Database | Tx,
  organizationId: string,
  lane: number,
  { receivedAt, ...columns }: EventColumns,
): Promise<RepeatRow[]> {
  const { rows } = await sql<RepeatRow>`
    select ordinal, is_same, stored_id, stored_timestamp, stored_at, stored_properties
    from ingest_events(organization_id => ${organizationId}::uuid, lane => ${lane}::smallint, received => ${receivedAt}::timestamptz,
      requests => ${columns.requests}::smallint[], ids => ${columns.ids}::uuid[], subscriptions => ${columns.subscriptions}::text[],
      transactions => ${columns.transactions}::text[], body_digests => ${columns.bodyDigests}::bytea[],
      codes => ${columns.codes}::text[], timestamps => ${columns.timestamps}::timestamptz[],
      are_timed => ${columns.areTimed}::boolean[], digests => ${columns.digests}::numeric[],
      contents => ${columns.properties}::jsonb[], canonicals => ${columns.canonicals}::jsonb[])`.execute(db);
  return rows;
}

type Count = { hour: Temporal.Instant; stripe: number; conflict: number; rejected: number };

export async function countEvents(
  tx: Tx,
  organizationId: string,
  { hour, stripe, conflict, rejected }: Count,
): Promise<void> {
  await sql`
    select count_events(organization_id => ${organizationId}::uuid, hour => ${hour}::timestamptz, stripe => ${stripe}::smallint,
      new => 0, duplicate => 0, conflict => ${conflict}::bigint, rejected => ${rejected}::bigint)`.execute(tx);
}

/** An event as shown; properties as text, so that no number passes through JavaScript. */
export type EventRow = {
  id: string;
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: Temporal.Instant;
  received_at: Temporal.Instant;
  shard: number;
  position: bigint;
  properties: string;
  /** The canonical text of each property by name; null for a null property, and for an event without properties. */
  texts: Readonly<Record<string, string | null>> | null;
};

/** Over every organization_id of the surrounding query: it reads that row and no table. */
const texts = sql<EventRow["texts"]>`(
  select jsonb_object_agg(name, coalesce(event.canonical ->> name, event.properties ->> name))
  from jsonb_object_keys(event.properties) as name
)`;

/** If several subscriptions have an event with this id, returns the last received. */
export async function findEvent(tx: Tx, organizationId: string, transactionId: string): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select event.id, event.transaction_id, event.external_subscription_id, event.code, event."timestamp", event.received_at,
      event.shard, event.position, event.properties::text as properties, ${texts} as texts
    from event_keys key
    join events event on event.organization_id = key.organization_id and event."timestamp" = key."timestamp"
      and event.id = key.id and event.received_at = key.received_at
    where key.organization_id = ${organizationId} and key.transaction_id = ${transactionId}
    order by event.received_at desc, event.id desc limit 1`.execute(tx);
  return rows[0];
}

export type EventList = ListRequest<"code" | "external_subscription_id" | "timestamp_from" | "timestamp_to">;

export const EVENT_ORDER = [byInstant("timestamp")];

/** Indexes: events_list, and events_usage for one subscription. The months that `created` leaves out are not read. */
function requested(tx: Tx, organizationId: string, { filters, created }: EventList) {
  const [code] = filters.code ?? [];
  const [subscription] = filters.external_subscription_id ?? [];
  const [from, to] = [filters.timestamp_from, filters.timestamp_to].map((texts) => parseInstant(texts?.[0] ?? ""));
  let query = tx.selectFrom("events as event").where("organization_id", "=", organizationId);
  if (code !== undefined) query = query.where("code", "=", code);
  if (subscription !== undefined) query = query.where("external_subscription_id", "=", subscription);
  if (from) query = query.where("timestamp", ">=", from);
  if (to) query = query.where("timestamp", "<=", to);
  if (created.from) query = query.where("received_at", ">=", created.from);
  if (created.before) query = query.where("received_at", "<", created.before);
  return query;
}

/** In the order of the list, from its place on. */
export function findEvents(
  tx: Tx,
  organizationId: string,
  list: EventList,
  { limit, offset }: { limit: number; offset: number },
): Promise<EventRow[]> {
  const direction = list.sort.isDescending ? "desc" : "asc";
  const query = requested(tx, organizationId, list);
  return (list.after ? query.where(isBeyond(EVENT_ORDER, list, list.after)) : query)
    .select([
      "id",
      "transaction_id",
      "external_subscription_id",
      "code",
      "timestamp",
      "received_at",
      "shard",
      "position",
    ])
    .select([sql<string>`properties::text`.as("properties"), texts.as("texts")])
    .orderBy("timestamp", direction)
    .orderBy("id", direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

/** The number of matching events, counted up to `most`. */
export async function countRequested(tx: Tx, organizationId: string, list: EventList, most: number): Promise<number> {
  const some = requested(tx, organizationId, list).select(sql`1`.as("one")).limit(most).as("some");
  const { total } = await tx
    .selectFrom(some)
    .select((count) => count.fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Over all organizations: a partition holds the events of all of them. */
export async function makePartitions(dispatcherDb: Database, monthsAhead: number): Promise<void> {
  await sql`select make_event_partitions(${monthsAhead}::integer)`.execute(dispatcherDb);
}
