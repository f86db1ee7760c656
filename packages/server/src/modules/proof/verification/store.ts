/** Reads rows of invoices, fees and events by their keys, all in one snapshot. It owns no table and writes nothing. */

import type { Metric } from "@tallystick/core/catalog";
import { sql } from "kysely";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { FeeRow } from "../../invoicing/index.ts";

/** Numbered invoices by id, after the position. */
export async function findNumbered(
  tx: Tx,
  organizationId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await tx
    .selectFrom("invoices")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", ">", after)
    .where("status", "in", ["finalized", "voided"])
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function countNumbered(tx: Tx, organizationId: string): Promise<number> {
  const { total } = await tx
    .selectFrom("invoices")
    .select((count) => count.fn.countAll<bigint>().as("total"))
    .where("organization_id", "=", organizationId)
    .where("status", "in", ["finalized", "voided"])
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Fees of bills, including standalone fees. Deleted fees are included, because they were billed. */
export const findFeesOf = (
  tx: Tx,
  organizationId: string,
  { invoiceId, billIds }: { invoiceId: string; billIds: readonly string[] },
): Promise<FeeRow[]> =>
  tx
    .selectFrom("fees")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where((or) => or.or([or("invoice_id", "=", invoiceId), or("bill_id", "=", anyOf(billIds))]))
    .orderBy("line")
    .orderBy("id")
    .execute();

/** The metrics of bills as they were at billing time, by id. Two bills on one metric store the same metric. */
export async function findMetricsThen(
  tx: Tx,
  organizationId: string,
  billIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<Metric, "aggregation" | "filters">>> {
  const rows = await tx
    .selectFrom("counted_windows")
    .select(["billable_metric_id", "metric"])
    .where("organization_id", "=", organizationId)
    .where("bill_id", "=", anyOf(billIds))
    .execute();
  return new Map(
    rows.map(({ billable_metric_id, metric }) => [
      billable_metric_id,
      metric as unknown as Pick<Metric, "aggregation" | "filters">,
    ]),
  );
}

export type EventRow = {
  id: string;
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: Temporal.Instant;
  received_at: Temporal.Instant;
  shard: number;
  position: bigint;
  digest: string;
  /** The canonical text of each property, by name. */
  texts: Readonly<Record<string, string | null>> | null;
  /** The digest of the accepted body. null: the event was never accepted. */
  body_digest: string | null;
};

/** Over every organization_id that the query around it selects: it reads that row and no table. */
const columns = sql`
  event.id, event.transaction_id, event.external_subscription_id, event.code, event."timestamp", event.received_at, event.shard,
  event.position, event.digest::text as digest, (
    select jsonb_object_agg(name, coalesce(event.canonical ->> name, event.properties ->> name))
    from jsonb_object_keys(event.properties) as name
  ) as texts, encode(key.body_digest, 'hex') as body_digest`;

export async function findEventAt(
  tx: Tx,
  organizationId: string,
  { id, shard, position }: { id: string; shard: number; position: string },
): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select ${columns} from events as event
    left join event_keys as key on key.organization_id = ${organizationId} and key.transaction_id = event.transaction_id
      and key.external_subscription_id = event.external_subscription_id and key.id = event.id
    where event.organization_id = ${organizationId} and event.shard = ${shard}::smallint
      and event.position = ${position}::bigint and event.id = ${id}::uuid`.execute(tx);
  return rows[0];
}

/** The events of a subscription in a window, up to a snapshot. */
export type EventScope = {
  externalSubscriptionId: string;
  from: Temporal.Instant;
  to: Temporal.Instant;
  cut: readonly string[];
};

/** In order of time, after the start. */
export async function pageOfEvents(
  tx: Tx,
  organizationId: string,
  { externalSubscriptionId, from, to, cut }: EventScope,
  { after, size }: { after: Pick<EventRow, "timestamp" | "id"> | null; size: number },
): Promise<EventRow[]> {
  const start = after ?? { timestamp: from, id: "00000000-0000-0000-0000-000000000000" };
  const { rows } = await sql<EventRow>`
    select ${columns} from events as event
    left join event_keys as key on key.organization_id = ${organizationId} and key.transaction_id = event.transaction_id
      and key.external_subscription_id = event.external_subscription_id and key.id = event.id
    where event.organization_id = ${organizationId} and event.external_subscription_id = ${externalSubscriptionId}
      and (event."timestamp", event.id) > (${start.timestamp}::timestamptz, ${start.id}::uuid)
      and event."timestamp" < ${to}::timestamptz
      and event.position <= coalesce((${cut}::bigint[])[event.shard + 1], 0)
    order by event."timestamp", event.id limit ${size}`.execute(tx);
  return rows;
}

/** Accepted events that are missing now. */
export async function findVanished(
  tx: Tx,
  organizationId: string,
  { externalSubscriptionId, from, to }: EventScope,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ transaction_id: string }>`
    select transaction_id from event_keys as key
    where organization_id = ${organizationId} and external_subscription_id = ${externalSubscriptionId}
      and "timestamp" >= ${from}::timestamptz and "timestamp" < ${to}::timestamptz
      and not exists (
        select from events as event where event.organization_id = ${organizationId} and event."timestamp" = key."timestamp"
          and event.id = key.id and event.received_at = key.received_at
      )
    order by transaction_id limit ${limit}`.execute(tx);
  return rows.map(({ transaction_id }) => transaction_id);
}
