/** All SQL on cursors, which follow the positions of accepted events. Each consumer has a table of its own, of one shape. */
import { sql } from "kysely";
import type { Database, Tx } from "../platform/postgres/database.ts";
import { type Failure, failedAttempt } from "./backoff.ts";
import type { Patience } from "./waiting.ts";

export type CursorTable = "advance_cursors" | "wallet_cursors";

/** `positions`: at index n the last position of shard n that was looked at. */
export type CursorRow = {
  organization_id: string;
  positions: bigint[];
  /** That failed since it last moved. */
  attempts: number;
};

/**
 * The offset keeps this from being planned as a join. Whoever waited for the lock of the row would then be compared again with the one
 * head that had been found before, and be told that nothing is left while another shard is ahead.
 */
const ahead = sql<boolean>`exists (
  select from event_heads head
  where head.organization_id = cursor.organization_id
    and (cursor.positions[head.shard + 1] is null or head.position > cursor.positions[head.shard + 1])
  offset 0
)`;

/** One name stands for all: they have the same columns. */
const named = (table: CursorTable) => table as "advance_cursors";

const withEvents = (tx: Tx, table: CursorTable) =>
  tx
    .selectFrom(`${named(table)} as cursor`)
    .select(["organization_id", "positions", "attempts"])
    .where(ahead);

/** Over all organizations, for the dispatcher: one that has events to look at and that nobody else looks at. It stays locked. */
export const claimCursor = (tx: Tx, table: CursorTable, now: Temporal.Instant): Promise<CursorRow | undefined> =>
  withEvents(tx, table)
    .where("ready_at", "<=", now)
    .orderBy("ready_at")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();

/** The same of one organization: whoever looks at its events is waited for. */
export const awaitCursor = (tx: Tx, table: CursorTable, organizationId: string): Promise<CursorRow | undefined> =>
  withEvents(tx, table).where("organization_id", "=", organizationId).forUpdate().executeTakeFirst();

/** Also one that has seen all: nobody looks at its events until the transaction ends. */
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

/** After a failed attempt: later again. Returns how many there were; of an error that may stay, since the first of its kind. */
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

/**
 * How far a cursor has looked, by shard, if it has passed events of these codes at one very instant; null if it has not. Where nothing
 * follows positions, all that was accepted has been passed.
 */
export async function findPassedAt(
  tx: Tx,
  table: CursorTable,
  organizationId: string,
  { externalId, codes, at }: { externalId: string; codes: readonly string[]; at: Temporal.Instant },
): Promise<readonly string[] | null> {
  const { rows } = await sql<{ positions: string[] }>`
    select positions::text[] as positions
    from (
      select coalesce(
        (select positions from ${sql.table(table)} where organization_id = ${organizationId}),
        (select array_agg(coalesce(head.position, 0) order by shard.number)
          from generate_series(0, (select max(shard) from event_heads where organization_id = ${organizationId})) as shard (number)
          left join event_heads head on head.organization_id = ${organizationId} and head.shard = shard.number)
      ) as positions
    ) as passed
    where exists (
      select from events
      where organization_id = ${organizationId} and external_subscription_id = ${externalId} and code = any(${codes}::text[])
        and "timestamp" = ${at}::timestamptz and position <= positions[shard + 1]
    )`.execute(tx);
  return rows[0]?.positions ?? null;
}

export type LaggingCursor = { organization_id: string; shard: number; position: bigint; attempts: number };

const LAGGING_MAX = 20;

/**
 * Over all organizations, for the dispatcher: cursors behind the head of a shard that did not move for a while, or that fail. When the
 * event after `position` came, only its organization can see.
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

/** When the event after a position came; undefined: its month was dropped. */
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
