/** All SQL on wallet_refreshes. It also reads events, shard heads and wallets. */

import { sql } from "kysely";
import { type Failure, failedAttempt } from "../../../jobs/backoff.ts";
import { NOTHING_WAITS, type Patience, RETRY_MAX, ROWS_MAX, type Waiting } from "../../../jobs/waiting.ts";
import { newId } from "../../../platform/new-id.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { type Batch, batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";

/** Requests a refresh of the customer's ongoing balances, if it has wallets. */
export const askForRefresh = (batch: Batch, organizationId: string, of: Changed): Promise<void> =>
  askForRefreshes(batch, organizationId, [of]);

type Changed = { customerId: string; now: Temporal.Instant };

const askForRefreshes = batchedWrite<Changed>(async (tx, organizationId, all) => {
  await sql`
    insert into wallet_refreshes (organization_id, id, customer_id, is_change, ready_at)
    select ${organizationId}::uuid, asked.id, asked.customer_id, true, asked.ready_at
    from unnest(${all.map(() => newId())}::uuid[], ${all.map(({ customerId }) => customerId)}::uuid[],
      ${all.map(({ now }) => now)}::timestamptz[]) as asked (id, customer_id, ready_at)
    where exists (
      select from wallets
      where organization_id = ${organizationId} and customer_id = asked.customer_id and status = 'active' offset 0
    )`.execute(tx);
});

/** External subscription ids of the events at these positions. */
export async function findUsedSubscriptions(
  tx: Tx,
  organizationId: string,
  { shard, after, upTo }: { shard: number; after: bigint; upTo: bigint },
): Promise<string[]> {
  const { rows } = await sql<{ external_subscription_id: string }>`
    select distinct external_subscription_id from events
    where organization_id = ${organizationId} and shard = ${shard}::smallint and position > ${after}::bigint
      and position <= ${upTo}::bigint`.execute(tx);
  return rows.map(({ external_subscription_id }) => external_subscription_id);
}

export async function findEventAt(
  tx: Tx,
  organizationId: string,
  { shard, upTo }: { shard: number; upTo: bigint },
): Promise<{ id: string; transaction_id: string } | undefined> {
  const { rows } = await sql<{ id: string; transaction_id: string }>`
    select id, transaction_id from events
    where organization_id = ${organizationId} and shard = ${shard}::smallint and position = ${upTo}::bigint`.execute(
    tx,
  );
  return rows[0];
}

/** Customers with these subscriptions and a wallet. Each gets one row; inserts do not wait for each other, so order does not matter. */
export async function askForUsageRefreshes(
  tx: Tx,
  organizationId: string,
  { externalIds, now }: { externalIds: readonly string[]; now: Temporal.Instant },
): Promise<void> {
  if (externalIds.length === 0) return;
  const { rows } = await sql<{ customer_id: string }>`
    select distinct customer_id from wallets
    where organization_id = ${organizationId} and status = 'active' and customer_id = any (array(
      select customer_id from subscriptions
      where organization_id = ${organizationId} and status = 'active' and external_id = any(${externalIds}::text[])
    ))`.execute(tx);
  if (rows.length === 0) return;
  await tx
    .insertInto("wallet_refreshes")
    .values(
      rows.map(({ customer_id }) => ({
        organization_id: organizationId,
        id: newId(),
        customer_id,
        is_change: false,
        ready_at: now,
      })),
    )
    .execute();
}

/** The requests of a customer before its usage is measured. */
export type RefreshRequest = { organizationId: string; customerId: string; ids: string[] };

/** Over all organizations, for the dispatcher: a waiting customer. Its requests are not ready again until the lease ends. */
export async function claimRefresh(
  dispatcherDb: Database,
  { now, until }: { now: Temporal.Instant; until: Temporal.Instant },
): Promise<RefreshRequest | undefined> {
  return dispatcherDb.transaction().execute(async (tx) => {
    const first = await tx
      .selectFrom("wallet_refreshes")
      .select(["organization_id", "customer_id"])
      .where("ready_at", "<=", now)
      .orderBy("ready_at")
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!first) return undefined;
    const { organization_id: organizationId, customer_id: customerId } = first;
    // Skips rows that another worker is claiming: to wait for them could deadlock.
    const rows = await tx
      .selectFrom("wallet_refreshes")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("customer_id", "=", customerId)
      .forUpdate()
      .skipLocked()
      .execute();
    const ids = rows.map(({ id }) => id);
    await tx
      .updateTable("wallet_refreshes")
      .set({ ready_at: until })
      .where("organization_id", "=", organizationId)
      .where("id", "=", anyOf(ids))
      .execute();
    return { organizationId, customerId, ids };
  });
}

/** Waiting customers of an organization on a test clock. */
const onTestClock = (organizationId: string) => sql`
  from wallet_refreshes request
  where request.organization_id = ${organizationId}
    and (select test_clock_id from customers where organization_id = ${organizationId} and id = request.customer_id) is not null`;

/** One waiting customer, even if another worker has claimed it. */
export async function findRefreshOnTestClock(tx: Tx, organizationId: string): Promise<RefreshRequest | undefined> {
  const { rows } = await sql<{ id: string; customer_id: string }>`
    select id, customer_id from wallet_refreshes where organization_id = ${organizationId} and customer_id = (
      select request.customer_id ${onTestClock(organizationId)} order by request.id limit 1
    )`.execute(tx);
  const [first] = rows;
  return first && { organizationId, customerId: first.customer_id, ids: rows.map(({ id }) => id) };
}

/** A test clock does not advance while one of its customers waits. */
export async function isWaitingOnTestClock(tx: Tx, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select ${onTestClock(organizationId)}) as waits`.execute(tx);
  return rows[0]?.waits === true;
}

/** Under the customer's lock: whether the measurement still matches the requests. If so, deletes them. */
export async function finishRefresh(
  tx: Tx,
  organizationId: string,
  { customerId, ids }: Omit<RefreshRequest, "organizationId">,
): Promise<boolean> {
  const rows = await tx
    .selectFrom("wallet_refreshes")
    .select(["id", "is_change"])
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .execute();
  const present = new Set(rows.map(({ id }) => id));
  const isOvertaken = ids.some((id) => !present.has(id)) || rows.some((row) => row.is_change && !ids.includes(row.id));
  if (!isOvertaken)
    await tx
      .deleteFrom("wallet_refreshes")
      .where("organization_id", "=", organizationId)
      .where("id", "=", anyOf(ids))
      .execute();
  return !isOvertaken;
}

/** Makes the requests ready again at an instant. */
export async function releaseRefresh(
  tx: Tx,
  organizationId: string,
  { customerId, readyAt }: { customerId: string; readyAt: Temporal.Instant },
): Promise<void> {
  await tx
    .updateTable("wallet_refreshes")
    .set({ ready_at: readyAt })
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .execute();
}

/** Returns the number of attempts. For an error that may be permanent, it counts from the first of its kind. */
export async function postponeRefresh(
  db: Database | Tx,
  { organizationId, customerId }: RefreshRequest,
  failure: Failure,
): Promise<number> {
  const rows = await db
    .updateTable("wallet_refreshes")
    .set(failedAttempt(failure))
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .returning("attempts")
    .execute();
  return Math.max(0, ...rows.map(({ attempts }) => attempts));
}

/** Deletes the requests of a balance that cannot be computed. Later requests are tried again. */
export async function dropRefreshes(
  tx: Tx,
  organizationId: string,
  { customerId, ids }: Omit<RefreshRequest, "organizationId">,
): Promise<void> {
  await tx
    .deleteFrom("wallet_refreshes")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .where("id", "=", anyOf(ids))
    .execute();
}

/** Over all organizations, for the dispatcher: counts ongoing balances that wait. */
export async function countWaitingRefreshes(
  dispatcherDb: Database,
  { now, since, attempts }: Patience,
): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(ready_at) as "oldestAt"
    from (
      select ready_at, attempts from wallet_refreshes where ready_at <= ${now.add(RETRY_MAX)}::timestamptz
      order by ready_at limit ${ROWS_MAX}::integer
    ) as refresh
    where ready_at < ${since}::timestamptz or attempts >= ${attempts}::integer`.execute(dispatcherDb);
  return rows[0] ?? NOTHING_WAITS;
}
