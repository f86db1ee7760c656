/** All SQL on cursors, which follow the positions of accepted events. Each consumer has its own table; all have the same columns. */
import { sql } from "kysely";
import { type Failure, failedAttempt } from "../../../jobs/backoff.ts";
import type { Patience } from "../../../jobs/waiting.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";

export type CursorTable = "advance_cursors" | "wallet_cursors";

/** `positions`: at index n the last processed position of shard n. */
export type CursorRow = {
  organization_id: string;
  positions: bigint[];
  /** Failures since it last moved. */
  attempts: number;
};

/**
 * The offset keeps Postgres from planning a join. After waiting for the row lock, a join would compare again with the one head found
 * before, and report that nothing is left while another shard is ahead.
 */
const ahead = sql<boolean>`exists (
  select from event_heads head
  where head.organization_id = cursor.organization_id
    and (cursor.positions[head.shard + 1] is null or head.position > cursor.positions[head.shard + 1])
  offset 0
)`;

/** One name stands for all tables: they have the same columns. */
const named = (table: CursorTable) => table as "advance_cursors";

const withEvents = (tx: Tx, table: CursorTable) =>
  tx
    .selectFrom(`${named(table)} as cursor`)
    .select(["organization_id", "positions", "attempts"])
    .where(ahead);

/** Over all organizations, for the dispatcher: a cursor with unprocessed events that no other worker has locked. It stays locked. */
export const claimCursor = (tx: Tx, table: CursorTable, now: Temporal.Instant): Promise<CursorRow | undefined> =>
  withEvents(tx, table)
    .where("ready_at", "<=", now)
    .orderBy("ready_at")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();

/** The same for one organization: this waits for the worker that has the lock. */
export const awaitCursor = (tx: Tx, table: CursorTable, organizationId: string): Promise<CursorRow | undefined> =>
  withEvents(tx, table).where("organization_id", "=", organizationId).forUpdate().executeTakeFirst();

/** Includes cursors that are up to date: no events of the organization are processed until the transaction ends. */
export const lockCursor = (tx: Tx, table: CursorTable, organizationId: string): Promise<CursorRow | undefined> =>
  tx
    .selectFrom(named(table))
    .select(["organization_id", "positions", "attempts"])
    .where("organization_id", "=", organizationId)
    .forUpdate()
    .executeTakeFirst();

export async function moveCursor(
  tx: Tx,
  table: CursorTable,
  organizationId: string,
  { positions, now }: { positions: readonly bigint[]; now: Temporal.Instant },
): Promise<void> {
  await tx
    .updateTable(named(table))
    .set({ positions: sql<bigint[]>`${positions}::bigint[]`, ready_at: now, attempts: 0, last_error: null })
    .where("organization_id", "=", organizationId)
    .execute();
}

/**
 * After a failed attempt: delays the next one. Returns the number of attempts; for an error that may be permanent, since the first of its
 * kind.
 */
export async function postponeCursor(
  dispatcherDb: Database,
  table: CursorTable,
  organizationId: string,
  failure: Failure,
): Promise<number> {
  const row = await dispatcherDb
    .updateTable(named(table))
    .set(failedAttempt(failure))
    .where("organization_id", "=", organizationId)
    .returning("attempts")
    .executeTakeFirst();
  return row?.attempts ?? 0;
}

export const findHeads = (tx: Tx, organizationId: string): Promise<{ shard: number; position: bigint }[]> =>
  tx.selectFrom("event_heads").select(["shard", "position"]).where("organization_id", "=", organizationId).execute();

export type LaggingCursor = { organization_id: string; shard: number; position: bigint; attempts: number };

const LAGGING_MAX = 20;

/**
 * Over all organizations, for the dispatcher: cursors behind the head of a shard that have not moved for a while, or that fail. Only the
 * organization can see when the event after `position` was received.
 */
export async function findLaggingCursors(
  dispatcherDb: Database,
  table: CursorTable | "relay_cursors",
  { since, attempts }: Patience,
): Promise<LaggingCursor[]> {
  const [movedAt, failed] = table === "relay_cursors" ? [sql`taken_at`, sql`0`] : [sql`ready_at`, sql`attempts`];
  const { rows } = await sql<LaggingCursor>`
    select distinct on (cursor.organization_id) cursor.organization_id, head.shard, coalesce(cursor.positions[head.shard + 1], 0) as position,
      ${failed} as attempts
    from ${sql.table(table)} as cursor
    join event_heads head
      on head.organization_id = cursor.organization_id and head.position > coalesce(cursor.positions[head.shard + 1], 0)
    where ${movedAt} < ${since}::timestamptz or ${failed} >= ${attempts}::integer
    order by cursor.organization_id, head.shard limit ${LAGGING_MAX}::integer`.execute(dispatcherDb);
  return rows;
}

/** When the event after a position was received; undefined if its month was dropped. */
export async function findNextEvent(
  tx: Tx,
  organizationId: string,
  { shard, position }: Pick<LaggingCursor, "shard" | "position">,
): Promise<Temporal.Instant | undefined> {
  const { rows } = await sql<{ receivedAt: Temporal.Instant }>`
    select received_at as "receivedAt" from events
    where organization_id = ${organizationId} and shard = ${shard}::smallint and position = ${position}::bigint + 1`.execute(
    tx,
  );
  return rows[0]?.receivedAt;
}

/** A new consumer begins with the events accepted from now on. */
export async function beginCursor(tx: Tx, table: CursorTable, organizationId: string): Promise<void> {
  await sql`
    insert into ${sql.table(table)} (organization_id, positions, ready_at)
    select ${organizationId}::uuid, coalesce(array_agg(coalesce(head.position, 0) order by shard.number), '{}'), '-infinity'
    from generate_series(0, (select max(shard) from event_heads where organization_id = ${organizationId})) as shard (number)
    left join event_heads head on head.organization_id = ${organizationId} and head.shard = shard.number
    on conflict do nothing`.execute(tx);
}
