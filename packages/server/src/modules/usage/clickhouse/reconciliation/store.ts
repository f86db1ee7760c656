/** All SQL that sums up the events of Postgres for comparison with their copy, and that restarts the relay. */
import type { Decimal } from "@tallystick/core/money";
import { sql } from "kysely";
import type { Database, Tx } from "../../../../platform/postgres/database.ts";

/** Over all organizations: those whose events are copied, and up to which position. */
export async function listCursors(
  dispatcherDb: Database,
): Promise<{ organizationId: string; positions: bigint[]; heads: bigint[]; shards: number[] }[]> {
  const { rows } = await sql<{ organizationId: string; positions: bigint[]; heads: bigint[]; shards: number[] }>`
    select cursor.organization_id as "organizationId", cursor.positions, array_agg(head.shard::integer) as shards,
      array_agg(head.position) as heads
    from relay_cursors cursor join event_heads head on head.organization_id = cursor.organization_id
    group by cursor.organization_id order by cursor.organization_id`.execute(dispatcherDb);
  return rows;
}

/** Events of a time range up to these positions. */
export type Slice = { from: bigint; to: bigint; positions: readonly bigint[] };

const instantOf = (micros: bigint) => sql`timestamptz 'epoch' + ${String(micros)}::bigint * interval '1 microsecond'`;

export type HourRow = { code: string; hour: bigint; count: bigint; digest: Decimal };

/** By code and hour (since 1970): the number of events, and the sum of their digests. */
export async function sumHours(tx: Tx, organizationId: string, { from, to, positions }: Slice): Promise<HourRow[]> {
  const shards = positions.map(
    (position, shard) => sql`or shard = ${shard}::smallint and position <= ${position}::bigint`,
  );
  const { rows } = await sql<HourRow>`
    select code, floor(extract(epoch from "timestamp") / 3600)::bigint as hour, count(*) as count, sum(digest) as digest
    from events
    where organization_id = ${organizationId} and "timestamp" >= ${instantOf(from)} and "timestamp" < ${instantOf(to)}
      and (false ${sql.join(shards, sql` `)})
    group by 1, 2`.execute(tx);
  return rows;
}

/** The first event at or after an instant, in microseconds since 1970. */
export async function findNextTime(tx: Tx, organizationId: string, from: bigint): Promise<bigint | null> {
  const { rows } = await sql<{ micros: bigint | null }>`
    select (extract(epoch from min("timestamp")) * 1000000)::bigint as micros from events
    where organization_id = ${organizationId} and "timestamp" >= ${instantOf(from)}`.execute(tx);
  return rows[0]?.micros ?? null;
}

/**
 * Over all organizations: stops sending, and prevents current senders from closing their batch. Returns how long ago the last send was.
 */
export async function beginEmptying(dispatcherDb: Database): Promise<{ lastSentSeconds: number | null }> {
  const { rows } = await sql<{ seconds: number | null }>`
    update relay_lanes set is_emptying = true, claim = claim + 1, rebuilding_since = coalesce(rebuilding_since, clock_timestamp())
    returning extract(epoch from clock_timestamp() - last_sent_at)::double precision as seconds`.execute(dispatcherDb);
  const known = rows.flatMap(({ seconds }) => seconds ?? []);
  return { lastSentSeconds: known.length === 0 ? null : Math.min(...known) };
}

/** Over all organizations: ClickHouse is empty, so everything is sent from the first position, under new tokens. */
export async function restartLanes(tx: Tx): Promise<string[]> {
  await sql`delete from relay_ranges`.execute(tx);
  await sql`
    update relay_lanes set generation = generation + 1, number = 0, is_open = false, stage = 0, sends = 0, first_sent_at = null,
      is_in_doubt = false, is_emptying = false, leased_until = '-infinity', ready_at = '-infinity', retry_at = '-infinity',
      failures = 0, last_error = null, copy_id = null`.execute(tx);
  const { rows } = await sql<{ organization_id: string }>`
    update relay_cursors set positions = '{}', taken_at = '-infinity' returning organization_id`.execute(tx);
  return rows.map(({ organization_id }) => organization_id);
}

export type LaneRow = {
  lane: number;
  number: bigint;
  is_open: boolean;
  stage: number;
  sends: number;
  failures: number;
  last_error: string | null;
  rebuilding_since: Temporal.Instant | null;
  organizations: bigint;
  accepted: bigint;
  relayed: bigint;
};

/** Over all organizations, for operators: the state of each queue. */
export async function listLanes(dispatcherDb: Database): Promise<LaneRow[]> {
  const { rows } = await sql<LaneRow>`
    select lane.lane::integer as lane, number, is_open, stage, sends, failures, last_error, rebuilding_since,
      (select count(*) from relay_cursors cursor where cursor.lane = lane.lane) as organizations,
      (select coalesce(sum(position), 0)::bigint from event_heads head
        where relay_lane(head.organization_id) = lane.lane) as accepted,
      (select coalesce(sum(position), 0)::bigint from relay_cursors cursor cross join unnest(cursor.positions) as position
        where cursor.lane = lane.lane) as relayed
    from relay_lanes lane order by lane.lane`.execute(dispatcherDb);
  return rows;
}
