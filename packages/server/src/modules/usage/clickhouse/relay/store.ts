/**
 * All SQL on relay_lanes, relay_ranges and relay_cursors; it reads heads and events. Leases and pauses use the clock of the database: all
 * workers agree on it, and test clocks do not affect it.
 */
import type { Decimal } from "@tallystick/core/money";
import { type RawBuilder, sql } from "kysely";
import type { Database, Tx } from "../../../../platform/postgres/database.ts";
import type { Derivation } from "./derivation.ts";
import { PACE_MS } from "./limits.ts";

/** A claimed queue. */
export type ClaimedLane = {
  lane: number;
  generation: number;
  number: bigint;
  is_open: boolean;
  stage: number;
  claim: bigint;
  /** Before this claim: how often the stage may have been sent, and the age of the first and last send. */
  sends: number;
  first_sent_seconds: number | null;
  last_sent_seconds: number | null;
  is_in_doubt: boolean;
  copy_id: string | null;
  /** How long the next batch must wait. */
  wait_ms: number;
};

export type LaneChoice = {
  /** null: any queue that has work and does not rest after a failure. */
  lane: number | null;
  leaseSeconds: number;
};

/** Positions of a shard, after `after` and up to `upTo`. */
export type Range = {
  organizationId: string;
  shard: number;
  after: bigint;
  upTo: bigint;
  /** The positions that were found missing; null: all. */
  missing: readonly bigint[] | null;
  derivations: DerivationsByCode;
};

/** The derivations by event code, as ClickHouse takes them. */
export type DerivationsByCode = Readonly<Record<string, readonly Pick<Derivation, "id" | "field" | "names">[]>>;

/** The offset keeps Postgres from planning a join that reads only one head. */
const isAhead = sql<boolean>`exists (
  select from event_heads head
  where head.organization_id = cursor.organization_id
    and (cursor.positions[head.shard + 1] is null or head.position > cursor.positions[head.shard + 1])
  offset 0
)`;

const secondsSince = (column: RawBuilder<unknown>) =>
  sql`extract(epoch from clock_timestamp() - ${column})::double precision`;

/** A queue is ready since -infinity until its first pause, and Postgres subtracts infinite instants only from version 17 on. */
const waitMs = sql`greatest(0, extract(epoch from greatest(ready_at, clock_timestamp()) - clock_timestamp()) * 1000)::double precision`;

/**
 * Over all organizations of a queue, for the dispatcher: claims a queue that has an open batch or events to send. It stays locked. A
 * repeated send gets a longer lease: a sender that loses its lease cannot close the batch, so a send that always takes longer than the
 * lease would never be closed.
 */
export async function claimLane(tx: Tx, { lane, leaseSeconds }: LaneChoice): Promise<ClaimedLane | undefined> {
  const chosen = lane === null ? sql`lane.retry_at <= clock_timestamp()` : sql`lane.lane = ${lane}::smallint`;
  const { rows } = await sql<ClaimedLane>`
    update relay_lanes taken set
      claim = taken.claim + 1,
      leased_until = clock_timestamp() + ${leaseSeconds}::integer * interval '1 second' * (1 + least(taken.failures + taken.sends, 4))
    where taken.lane = (
      select lane.lane from relay_lanes lane
      where ${chosen} and not lane.is_emptying and lane.leased_until <= clock_timestamp()
        and lane.ready_at <= clock_timestamp() + interval '200 milliseconds'
        and (lane.is_open or exists (select from relay_cursors cursor where cursor.lane = lane.lane and ${isAhead}))
      order by lane.ready_at limit 1
      for update skip locked
    )
    returning lane, generation, number, is_open, stage, claim, sends, is_in_doubt, copy_id,
      ${secondsSince(sql`first_sent_at`)} as first_sent_seconds, ${secondsSince(sql`last_sent_at`)} as last_sent_seconds,
      ${waitMs} as wait_ms`.execute(tx);
  return rows[0];
}

export type AheadRow = { organization_id: string; positions: bigint[]; shards: number[]; heads: bigint[] };

/** Over all organizations of a queue: those with events to send, the requested one first, then those that waited longest. */
export async function findAhead(
  tx: Tx,
  lane: number,
  { requested, limit }: { requested: string | null; limit: number },
): Promise<AheadRow[]> {
  const { rows } = await sql<AheadRow>`
    select cursor.organization_id, cursor.positions, ahead.shards, ahead.heads
    from relay_cursors cursor
    cross join lateral (
      select array_agg(head.shard::integer order by head.shard) as shards,
        array_agg(head.position order by head.shard) as heads
      from event_heads head where head.organization_id = cursor.organization_id
    ) as ahead
    where cursor.lane = ${lane}::smallint and ${isAhead}
    order by cursor.organization_id is distinct from ${requested}::uuid, cursor.taken_at
    limit ${limit}::integer`.execute(tx);
  return rows;
}

/** Rows as text in JSONEachRow, and their totals. Null if there are none. */
export type Piece = {
  count: number;
  last: bigint;
  digest: Decimal;
  text: string;
  received_from: Temporal.Instant;
  received_to: Temporal.Instant;
};

/**
 * The next events of a range in ClickHouse's format, written by Postgres: no number passes through JavaScript. A property is its
 * canonical text; null properties are absent.
 */
export async function readPiece(
  tx: Tx,
  { organizationId, shard, after, upTo, missing, derivations }: Range,
  limit: number,
): Promise<Piece | undefined> {
  const among = missing === null ? sql`` : sql`and position = any (${missing.map(String)}::bigint[])`;
  const derived =
    Object.keys(derivations).length === 0
      ? sql`'[]'`
      : sql`coalesce(${JSON.stringify(derivations)}::jsonb -> code, '[]')`;
  const { rows } = await sql<Piece>`
    select count(*)::integer as count, max(position) as last, sum(digest) as digest,
      string_agg(line, E'\n' order by position) as text, min(received_at) as received_from, max(received_at) as received_to
    from (
      select position, digest, received_at, concat(
        '{"organization_id":"', organization_id, '","external_subscription_id":', to_json(external_subscription_id),
        ',"code":', to_json(code), ',"timestamp":', (extract(epoch from "timestamp") * 1000000)::bigint,
        ',"received_at":"', to_char(received_at, 'YYYY-MM-DD HH24:MI:SS.US'), '","shard":', shard, ',"position":', position,
        ',"id":"', id, '","transaction_id":', to_json(transaction_id), ',"digest":"', digest, '","properties":',
        coalesce((
          select json_object_agg(name, value)
          from jsonb_each_text(case when canonical is null then properties else properties || canonical end) as property (name, value)
          where value is not null
        )::text, '{}'),
        ',"derivations":', ${derived}, '}'
      ) as line
      from events
      where organization_id = ${organizationId} and shard = ${shard}::smallint
        and position > ${after}::bigint and position <= ${upTo}::bigint ${among}
      order by position limit ${limit}::integer
    ) as piece
    having count(*) > 0`.execute(tx);
  return rows[0];
}

/** Over every organization_id of the ranges: stores them as the open batch of the queue. */
export async function openBatch(
  tx: Tx,
  { lane }: ClaimedLane,
  { ranges, copyId }: { ranges: readonly Range[]; copyId: string },
): Promise<void> {
  await insertRanges(tx, lane, ranges);
  await sql`
    update relay_cursors set taken_at = clock_timestamp()
    where organization_id = any (${ranges.map(({ organizationId }) => organizationId)}::uuid[])`.execute(tx);
  await sql`
    update relay_lanes set is_open = true, number = number + 1, stage = 0, copy_id = ${copyId} where lane = ${lane}::smallint`.execute(
    tx,
  );
}

async function insertRanges(tx: Tx, lane: number, ranges: readonly Range[]): Promise<void> {
  const rows = ranges.map(({ organizationId, shard, after, upTo, missing, derivations }) => ({
    organization_id: organizationId,
    lane,
    shard,
    after: String(after),
    up_to: String(upTo),
    missing: missing?.map(String) ?? null,
    derivations,
  }));
  await sql`
    insert into relay_ranges (organization_id, lane, shard, after, up_to, missing, derivations)
    select organization_id, lane, shard, after, up_to, missing, derivations
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as range (organization_id uuid, lane smallint, shard smallint,
      after bigint, up_to bigint, missing bigint[], derivations jsonb)`.execute(tx);
}

/** Over every organization_id of an open batch: its ranges, always in the same order. */
export async function findRanges(tx: Tx, lane: number): Promise<Range[]> {
  const { rows } = await sql<Range>`
    select organization_id as "organizationId", shard::integer as shard, after, up_to as "upTo", missing, derivations
    from relay_ranges where lane = ${lane}::smallint order by organization_id, shard`.execute(tx);
  return rows;
}

/** Over all organizations: in the transaction of the claim, before anything is sent. It counts even if no response comes. */
export async function noteSend(tx: Tx, { lane }: ClaimedLane): Promise<void> {
  await sql`
    update relay_lanes set sends = sends + 1, first_sent_at = coalesce(first_sent_at, clock_timestamp()),
      last_sent_at = clock_timestamp()
    where lane = ${lane}::smallint`.execute(tx);
}

/** Over all organizations: opens a stage that sends missing rows under a new token. */
export async function openNextStage(tx: Tx, { lane, claim }: ClaimedLane, ranges: readonly Range[]): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update relay_lanes set stage = stage + 1, sends = 0, first_sent_at = null, is_in_doubt = true
    where lane = ${lane}::smallint and claim = ${claim}::bigint and is_open`.execute(tx);
  if (numAffectedRows !== 1n) return false;
  await sql`delete from relay_ranges where lane = ${lane}::smallint`.execute(tx);
  await insertRanges(tx, lane, ranges);
  return true;
}

/** Over all organizations: data derived from rows of this batch cannot be relied on. */
export async function noteDoubt(tx: Tx, { lane, claim }: ClaimedLane): Promise<void> {
  await sql`
    update relay_lanes set is_in_doubt = true
    where lane = ${lane}::smallint and claim = ${claim}::bigint and is_open`.execute(tx);
}

/** `blocks`: the number of tokens used. A queue uses so few that none is forgotten while its batch may be sent again. */
export type Closing = { blocks: number };

/**
 * Over every organization_id of a batch: all its rows are in ClickHouse, so cursors move. Only the last process that claimed the queue
 * may do this. A stage has the whole ranges, even if it sends only some of their rows.
 */
export async function closeBatch(
  tx: Tx,
  { lane, claim }: ClaimedLane,
  { blocks }: Closing,
): Promise<{ wasInDoubt: boolean } | undefined> {
  const { rows } = await sql<{ wasInDoubt: boolean }>`
    with open as (
      select lane, is_in_doubt from relay_lanes
      where lane = ${lane}::smallint and claim = ${claim}::bigint and is_open and not is_emptying for update
    )
    update relay_lanes lane set is_open = false, stage = 0, sends = 0, first_sent_at = null, is_in_doubt = false,
      leased_until = '-infinity', retry_at = '-infinity', failures = 0, last_error = null,
      ready_at = clock_timestamp() + ${blocks * PACE_MS}::double precision * interval '1 millisecond'
    from open where lane.lane = open.lane
    returning open.is_in_doubt as "wasInDoubt"`.execute(tx);
  if (!rows[0]) return undefined;
  await sql`
    update relay_cursors cursor set positions = array(
      select greatest(coalesce(cursor.positions[shard.number + 1], 0), coalesce(range.up_to, 0))
      from generate_series(0, greatest(cardinality(cursor.positions) - 1, moved.last)) as shard (number)
      left join relay_ranges range on range.organization_id = cursor.organization_id and range.shard = shard.number
      order by shard.number
    )
    from (
      select organization_id, max(shard)::integer as last from relay_ranges where lane = ${lane}::smallint group by organization_id
    ) as moved
    where cursor.organization_id = moved.organization_id`.execute(tx);
  await sql`delete from relay_ranges where lane = ${lane}::smallint`.execute(tx);
  return rows[0];
}

/** A failed attempt. `isUnsent`: nothing reached the engine for certain. */
export type FailedSend = { error: string; isUnsent: boolean };

/** Over all organizations: a reader may retry at once, workers with increasing delays. */
export async function failSend(
  dispatcherDb: Database,
  { lane, claim }: ClaimedLane,
  { error, isUnsent }: FailedSend,
): Promise<void> {
  const sends = isUnsent ? sql`greatest(sends - 1, 0)` : sql`sends`;
  await sql`
    update relay_lanes set leased_until = '-infinity', failures = failures + 1, last_error = ${error.slice(0, 1000)},
      sends = ${sends}, first_sent_at = case when ${sends} = 0 then null else first_sent_at end,
      retry_at = clock_timestamp() + least(power(2, least(failures, 10)), 15) * interval '1 second'
    where lane = ${lane}::smallint and claim = ${claim}::bigint`.execute(dispatcherDb);
}

/** Over all organizations: nothing can be done yet; the queue may be claimed again after this many seconds. */
export async function releaseLane(tx: Tx, { lane, claim }: ClaimedLane, seconds: number): Promise<void> {
  await sql`
    update relay_lanes set leased_until = clock_timestamp() + ${seconds}::double precision * interval '1 second'
    where lane = ${lane}::smallint and claim = ${claim}::bigint`.execute(tx);
}

export type Progress = {
  lane: number;
  positions: bigint[];
  shards: number[];
  heads: bigint[];
  isRebuilding: boolean;
  isEmptying: boolean;
  copyId: string | null;
  lastError: string | null;
};

/** The copied and the accepted positions of an organization; undefined if it has no events. */
export async function findProgress(dispatcherDb: Database, organizationId: string): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`
    select cursor.lane::integer as lane, cursor.positions, lane.rebuilding_since is not null as "isRebuilding",
      lane.is_emptying as "isEmptying", lane.copy_id as "copyId",
      lane.last_error as "lastError",
      coalesce((select array_agg(shard::integer order by shard) from event_heads
        where organization_id = ${organizationId}), '{}') as shards,
      coalesce((select array_agg(position order by shard) from event_heads
        where organization_id = ${organizationId}), '{}') as heads
    from relay_cursors cursor join relay_lanes lane on lane.lane = cursor.lane
    where cursor.organization_id = ${organizationId}`.execute(dispatcherDb);
  return rows[0];
}

/**
 * The positions up to which batches with this organization's events were opened. No batch of its queue opens until the transaction ends,
 * which is the dispatcher's.
 */
export async function findOpened(tx: Tx, organizationId: string): Promise<bigint[]> {
  await sql`
    select from relay_lanes lane join relay_cursors cursor on cursor.lane = lane.lane
    where cursor.organization_id = ${organizationId} for update of lane`.execute(tx);
  const { rows } = await sql<{ positions: bigint[] }>`
    select array(
      select greatest(coalesce(cursor.positions[shard.number + 1], 0), coalesce(range.up_to, 0))
      from generate_series(0, greatest(cardinality(cursor.positions) - 1,
        (select max(shard) from relay_ranges where organization_id = ${organizationId}))) as shard (number)
      left join relay_ranges range on range.organization_id = ${organizationId} and range.shard = shard.number
      order by shard.number
    ) as positions
    from relay_cursors cursor where cursor.organization_id = ${organizationId}`.execute(tx);
  return rows[0]?.positions ?? [];
}

/** Over all organizations: how many events were accepted, and how many of them are in ClickHouse. */
export async function sumProgress(dispatcherDb: Database): Promise<{ accepted: bigint; relayed: bigint }> {
  const { rows } = await sql<{ accepted: bigint; relayed: bigint }>`
    select coalesce((select sum(position) from event_heads), 0)::bigint as accepted,
      coalesce((select sum(position) from relay_cursors cross join unnest(positions) as position), 0)::bigint as relayed`.execute(
    dispatcherDb,
  );
  return rows[0] ?? { accepted: 0n, relayed: 0n };
}

/** Over all organizations: a queue with at most one batch left counts as rebuilt. */
export async function finishRebuilds(dispatcherDb: Database, eventsMax: number): Promise<void> {
  await sql`
    update relay_lanes lane set rebuilding_since = null
    where rebuilding_since is not null and not is_emptying and ${eventsMax}::bigint > (
      select coalesce(sum(head.position), 0) from event_heads head where relay_lane(head.organization_id) = lane.lane
    ) - (
      select coalesce(sum(position), 0) from relay_cursors cursor cross join unnest(cursor.positions) as position
      where cursor.lane = lane.lane
    )`.execute(dispatcherDb);
}
