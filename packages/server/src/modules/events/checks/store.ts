/** All SQL for checking events: it reads events, their heads and counts, and records which hours are done. */
import { NUMBER_LENGTH_MAX } from "@tallystick/core/usage";
import { sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";

/** By the time of receipt; `to` is exclusive. */
export type Hour = { from: Temporal.Instant; to: Temporal.Instant };

/** Over all organizations, for the dispatcher: which of them sent new events in which hour that has no check yet. */
export async function findUncheckedHours(
  dispatcherDb: Database,
  { from, to }: Hour,
): Promise<{ organization_id: string; hour: Temporal.Instant }[]> {
  // By organization, so that the key of event_counts finds the last few hours of each.
  const { rows } = await sql<{ organization_id: string; hour: Temporal.Instant }>`
    select sent.organization_id, sent.hour
    from organizations
    cross join lateral (
      select distinct organization_id, hour from event_counts
      where organization_id = organizations.id and hour >= ${from} and hour < ${to} and new > 0
    ) as sent
    where not exists (
      select from event_checks done where done.organization_id = sent.organization_id and done.hour = sent.hour
    )
    order by sent.hour, sent.organization_id`.execute(dispatcherDb);
  return rows;
}

/** The positions of a shard that contain all events of an hour: from `first`, without `end`. */
export type Range = {
  shard: number;
  first: bigint;
  end: bigint;
  /** The first position of a later hour. */
  next: bigint;
};

/**
 * Positions follow the time of receipt except for a few seconds: of two processes, the one that stored first may have received last. So
 * the search for the end starts a minute later. Each search begins where the last check ended and follows the key.
 */
export async function findRanges(tx: Tx, organizationId: string, { from, to }: Hour): Promise<Range[]> {
  const firstReceived = (since: Temporal.Instant, start: ReturnType<typeof sql>) => sql`coalesce(
    (
      select position from events
      where organization_id = ${organizationId} and shard = head.shard and position >= ${start} and received_at >= ${since}
      order by position limit 1
    ),
    head.position + 1
  )`;
  const { rows } = await sql<Range>`
    select head.shard, range.first, ${firstReceived(to.add({ minutes: 1 }), sql`range.first`)} as "end",
      ${firstReceived(to, sql`range.first`)} as next
    from event_heads head
    cross join lateral (
      select ${firstReceived(
        from,
        sql`coalesce(
        (
          select next_positions[head.shard + 1] from event_checks
          where organization_id = ${organizationId} and hour < ${from} order by hour desc limit 1
        ),
        1
      )`,
      )} as first
    ) as range
    where head.organization_id = ${organizationId}
    order by head.shard`.execute(tx);
  return rows;
}

type NewCheck = { id: string; hour: Temporal.Instant; checkedAt: Temporal.Instant; nextPositions: readonly bigint[] };

/** Returns false if another transaction has checked the hour. */
export async function insertCheck(tx: Tx, organizationId: string, check: NewCheck): Promise<boolean> {
  const { rows } = await sql`
    insert into event_checks (organization_id, hour, id, checked_at, next_positions)
    values (${organizationId}, ${check.hour}, ${check.id}, ${check.checkedAt}, ${check.nextPositions}::bigint[])
    on conflict (organization_id, hour) do nothing returning id`.execute(tx);
  return rows.length > 0;
}

type Page = {
  shard: number;
  from: bigint;
  to: bigint;
  limit: number;
  wantsCode: boolean;
  wantsProperty: boolean;
  wantsKey: boolean;
};
type SuspectRow = {
  id: string;
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: Temporal.Instant;
  shard: number;
  position: bigint;
  /** The canonical text of each property by name; null if the property is null. */
  texts: Readonly<Record<string, string | null>> | null;
};

/** The metric names the property; its canonical text is null if it is absent. */
const textOf = (name: ReturnType<typeof sql>) => sql`coalesce(canonical ->> ${name}, properties ->> ${name})`;

/**
 * The first events of a page that may have one of the requested faults, in order of position, by the current metrics. Their statuses
 * decide whether they have it.
 */
export async function findSuspects(
  tx: Tx,
  organizationId: string,
  { from, to }: Hour,
  page: Page,
): Promise<SuspectRow[]> {
  const value = textOf(sql`metric.field_name`);
  const dimension = textOf(sql`(dimension ->> 'key')`);
  const { rows } = await sql<SuspectRow>`
    select id, transaction_id, external_subscription_id, code, "timestamp", shard, position, (
      select jsonb_object_agg(name, coalesce(canonical ->> name, properties ->> name)) from jsonb_object_keys(properties) as name
    ) as texts
    from (
      select event.*, metric.id is null as is_unknown,
        metric.field_name is not null and case
          when metric.aggregation_type in ('sum_agg', 'max_agg', 'latest_agg', 'weighted_sum_agg') then
            coalesce(length(${value}) > ${NUMBER_LENGTH_MAX}::integer or ${value} !~ '^-?0*[0-9]{1,18}([.][0-9]+)?$', true)
          else ${value} is null
        end as lacks_property,
        exists (
          select from jsonb_array_elements(metric.filters) as dimension
          where not coalesce(dimension -> 'values' ? ${dimension}, false)
        ) as lacks_key
      from events event
      left join billable_metrics metric on metric.organization_id = event.organization_id and metric.code = event.code
        and metric.deleted_at is null
      where event.organization_id = ${organizationId} and event.shard = ${page.shard}
        and event.position >= ${page.from} and event.position < ${page.to}
        and event.received_at >= ${from} and event.received_at < ${to}
    ) as checked
    where (is_unknown and ${page.wantsCode}) or (lacks_property and ${page.wantsProperty}) or (lacks_key and ${page.wantsKey})
    order by position limit ${page.limit}::integer`.execute(tx);
  return rows;
}
