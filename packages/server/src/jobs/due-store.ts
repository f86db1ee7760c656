/** All SQL on due_instants. */

import { sql } from "kysely";
import { anyOf } from "../platform/postgres/any-of.ts";
import { type Batch, batchedWrite } from "../platform/postgres/batch.ts";
import type { Database, Tx } from "../platform/postgres/database.ts";
import { type Failure, failedAttempt } from "./backoff.ts";
import { NOTHING_WAITS, type Patience, RETRY_MAX, ROWS_MAX, type Waiting } from "./waiting.ts";

export type Due = {
  organizationId: string;
  id: string;
  kind: string;
  subjectId: string;
  customerId: string | null;
  testClockId: string | null;
  dueAt: Temporal.Instant;
};

export type NewDue = Due & {
  rank: number;
  readyAt: Temporal.Instant;
};

const DUE_COLUMNS = [
  "due_instants.organization_id as organizationId",
  "due_instants.id as id",
  "due_instants.kind as kind",
  "due_instants.subject_id as subjectId",
  "due_instants.customer_id as customerId",
  "due_instants.test_clock_id as testClockId",
  "due_instants.due_at as dueAt",
] as const;

/** The same instant of the same subject is scheduled only once; scheduling it again changes nothing. */
export const insertDues = batchedWrite<NewDue>(async (tx, organizationId, dues) => {
  const rows = dues.map((due) => ({
    organization_id: organizationId,
    id: due.id,
    kind: due.kind,
    subject_id: due.subjectId,
    customer_id: due.customerId,
    test_clock_id: due.testClockId,
    due_at: due.dueAt,
    rank: due.rank,
    ready_at: due.readyAt,
  }));
  await tx
    .insertInto("due_instants")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["organization_id", "kind", "subject_id", "due_at"]).doNothing())
    .execute();
});

/**
 * Over all organizations, for the dispatcher: ready rows of the real clock that come first for their customers. Overtaking kinds ignore
 * earlier rows that only wait for the settle delay. Parked rows are not taken, and nothing waits for them.
 */
function readyDues(db: Database | Tx, now: Temporal.Instant, overtaking: readonly string[]) {
  const holdsBack = sql<boolean>`(earlier.due_at, earlier.rank, earlier.id) < (due_instants.due_at, due_instants.rank, due_instants.id)
    and not (due_instants.kind = any(${overtaking}::text[]) and earlier.attempts = 0 and earlier.ready_at > ${now}::timestamptz)`;
  return db
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .where("test_clock_id", "is", null)
    .where("ready_at", "<=", now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("due_instants as earlier")
            .select("earlier.id")
            .whereRef("earlier.organization_id", "=", "due_instants.organization_id")
            .whereRef("earlier.customer_id", "=", "due_instants.customer_id")
            .where("earlier.done_at", "is", null)
            .where("earlier.parked_at", "is", null)
            .where(holdsBack),
        ),
      ),
    );
}

type Ready = { overtaking: readonly string[] };

/** Longest ready first, to look ahead. Locks nothing. */
export const findReadyDues = (
  dispatcherDb: Database,
  now: Temporal.Instant,
  { overtaking, except, limit }: Ready & { except: readonly string[]; limit: number },
): Promise<Due[]> =>
  readyDues(dispatcherDb, now, overtaking)
    .where("id", "!=", sql<string>`all(${except}::uuid[])`)
    .orderBy("ready_at")
    .limit(limit)
    .execute();

/**
 * Rows that are still ready and not locked by another worker. They stay locked until the transaction ends, so a killed worker frees them at
 * once.
 */
export const claimReadyDues = (
  tx: Tx,
  now: Temporal.Instant,
  { overtaking, ids }: Ready & { ids: readonly string[] },
): Promise<Due[]> =>
  readyDues(tx, now, overtaking).where("id", "=", anyOf(ids)).orderBy("id").forUpdate().skipLocked().execute();

/** The next open rows up to an instant, with the filter that the caller adds. */
const nextUntil = (tx: Tx, organizationId: string, until: Temporal.Instant) =>
  tx
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("organization_id", "=", organizationId)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .where("due_at", "<=", until)
    .orderBy("due_at")
    .orderBy("rank")
    .orderBy("id")
    .forUpdate();

/** The next open rows of a clock, to look ahead. Locks nothing. */
export const findDuesOfTestClock = (
  tx: Tx,
  organizationId: string,
  testClockId: string,
  { until, limit }: { until: Temporal.Instant; limit: number },
): Promise<Due[]> =>
  tx
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("organization_id", "=", organizationId)
    .where("test_clock_id", "=", testClockId)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .where("due_at", "<=", until)
    .orderBy("due_at")
    .orderBy("rank")
    .orderBy("id")
    .limit(limit)
    .execute();

/** The caller has locked the clock's row, so no other advance can take these rows. */
export const claimDuesOfTestClock = (
  tx: Tx,
  organizationId: string,
  testClockId: string,
  { until, limit }: { until: Temporal.Instant; limit: number },
): Promise<Due[]> =>
  nextUntil(tx, organizationId, until).where("test_clock_id", "=", testClockId).limit(limit).execute();

/** The caller has locked the customer's row. */
export const claimDueOfCustomer = (
  tx: Tx,
  organizationId: string,
  customerId: string,
  { until, kinds }: { until: Temporal.Instant; kinds: readonly string[] },
) =>
  nextUntil(tx, organizationId, until)
    .where("customer_id", "=", customerId)
    .where("kind", "=", sql<string>`any(${kinds}::text[])`)
    .limit(1)
    .executeTakeFirst();

export async function finishDues(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
  now: Temporal.Instant,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("due_instants")
    .set({ done_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .where("done_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows !== BigInt(ids.length)) throw new Error(`a due instant of ${ids} was finished by another worker`);
}

/** Deletes open rows of the subject that are no longer listed. Done rows stay, and so do parked ones, which an operator resolves. */
export const deleteOtherDues = (
  batch: Batch,
  organizationId: string,
  subjectId: string,
  dues: readonly Pick<Due, "kind" | "dueAt">[],
): Promise<void> => deleteOthersOfAll(batch, organizationId, [{ subjectId, dues }]);

type Kept = { subjectId: string; dues: readonly Pick<Due, "kind" | "dueAt">[] };

const deleteOthersOfAll = batchedWrite<Kept>(async (tx, organizationId, all) => {
  const kept = all.flatMap(({ subjectId, dues }) => dues.map((due) => ({ subjectId, ...due })));
  const subjects = all.map(({ subjectId }) => subjectId);
  await tx
    .deleteFrom("due_instants")
    .where("organization_id", "=", organizationId)
    .where("subject_id", "=", anyOf(subjects))
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .where(
      sql<boolean>`(subject_id, kind, due_at) not in (select * from unnest(${kept.map(({ subjectId }) => subjectId)}::uuid[],
        ${kept.map(({ kind }) => kind)}::text[], ${kept.map(({ dueAt }) => dueAt)}::timestamptz[]))`,
    )
    .execute();
});

/** Later than any real instant: a row that is ready only then is paused until an operator resumes billing. */
export const HELD = Temporal.Instant.from("9999-12-31T00:00:00Z");

/** Pauses open rows of these kinds on the real clock. Their failed attempts are reset. */
export async function holdDues(tx: Tx, organizationId: string, kinds: readonly string[]): Promise<void> {
  await sql`
    update due_instants set ready_at = ${HELD}, attempts = 0
    where organization_id = ${organizationId} and kind = any(${kinds}::text[]) and done_at is null
      and test_clock_id is null and ready_at < ${HELD}`.execute(tx);
}

/** Makes paused rows ready as if they had never been paused; returns how many. */
export async function releaseDues(
  tx: Tx,
  organizationId: string,
  kinds: readonly string[],
  settleDelay: Temporal.Duration,
): Promise<bigint> {
  const { numAffectedRows = 0n } = await sql`
    update due_instants set ready_at = due_at + ${settleDelay.toString()}::interval
    where organization_id = ${organizationId} and kind = any(${kinds}::text[]) and done_at is null
      and test_clock_id is null and ready_at >= ${HELD}`.execute(tx);
  return numAffectedRows;
}

/** Rows that are paused, or that failed and will be retried; earliest first. */
export const findWaitingDues = (
  tx: Tx,
  organizationId: string,
  kinds: readonly string[],
  limit: number,
): Promise<(Due & { lastError: string | null })[]> =>
  waitingOf(tx, organizationId, kinds)
    .select(DUE_COLUMNS)
    .select("last_error as lastError")
    .orderBy("due_at")
    .orderBy("id")
    .limit(limit)
    .execute();

/** How many `findWaitingDues` would find. */
export async function countWaitingOf(tx: Tx, organizationId: string, kinds: readonly string[]): Promise<bigint> {
  const { count } = await waitingOf(tx, organizationId, kinds)
    .select((due) => due.fn.countAll<bigint>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

const waitingOf = (tx: Tx, organizationId: string, kinds: readonly string[]) =>
  tx
    .selectFrom("due_instants")
    .where("organization_id", "=", organizationId)
    .where("kind", "=", sql<string>`any(${kinds}::text[])`)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .where("test_clock_id", "is", null)
    .where((due) => due.or([due("ready_at", ">=", HELD), due("last_error", "is not", null)]));

/**
 * After a failed attempt: postpones the row and returns its number of attempts. For an error that may be permanent, the count starts with
 * the first of its kind.
 */
export async function postponeDue(db: Database | Tx, due: Due, failure: Failure): Promise<number> {
  const row = await db
    .updateTable("due_instants")
    .set(failedAttempt(failure))
    .where("organization_id", "=", due.organizationId)
    .where("id", "=", due.id)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .returning("attempts")
    .executeTakeFirst();
  return row?.attempts ?? 0;
}

/** For the dispatcher, over all organizations by key: false if the row is done, parked, or locked by another worker. */
export async function lockOpenDue(tx: Tx, { organizationId, id }: Due): Promise<boolean> {
  const row = await tx
    .selectFrom("due_instants")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row !== undefined;
}

/** False if the row is already done or parked. */
export async function markParked(tx: Tx, organizationId: string, id: string, now: Temporal.Instant): Promise<boolean> {
  const row = await tx
    .updateTable("due_instants")
    .set({ parked_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("done_at", "is", null)
    .where("parked_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export const findParkedDue = (tx: Tx, organizationId: string, id: string): Promise<Due | undefined> =>
  tx
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("parked_at", "is not", null)
    .executeTakeFirst();

/** For the transaction that resolves a parked row: the row runs at once, or is finished without running. */
export async function unparkDue(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx
    .updateTable("due_instants")
    .set({ parked_at: null, attempts: 0, last_error: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("done_at", "is", null)
    .where("parked_at", "is not", null)
    .returning("id")
    .executeTakeFirstOrThrow();
}

/** Serializes work for a customer: each worker locks the customer's row first. */
export const lockCustomer = (tx: Tx, organizationId: string, customerId: string): Promise<void> =>
  lockCustomers(tx, organizationId, [customerId]);

/** Locks several customers, always in the same order, so that no deadlock can occur. */
export async function lockCustomers(tx: Tx, organizationId: string, customerIds: readonly string[]): Promise<void> {
  await customerRows(tx, organizationId, customerIds).forNoKeyUpdate().execute();
}

/** False if the customer is locked by other work. */
export async function tryLockCustomer(tx: Tx, organizationId: string, customerId: string): Promise<boolean> {
  return (await tryLockCustomers(tx, organizationId, [customerId])).length > 0;
}

/** Locks those customers that are not locked by other work. */
export async function tryLockCustomers(
  tx: Tx,
  organizationId: string,
  customerIds: readonly string[],
): Promise<string[]> {
  const rows = await customerRows(tx, organizationId, customerIds).forNoKeyUpdate().skipLocked().execute();
  return rows.map(({ id }) => id);
}

const customerRows = (tx: Tx, organizationId: string, customerIds: readonly string[]) =>
  tx
    .selectFrom("customers")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(customerIds))
    .orderBy("id");

/**
 * Over all organizations, for the dispatcher: rows that are ready and not done, except for rows that wait for earlier work of their
 * customer.
 */
export async function countWaitingDues(dispatcherDb: Database, { now, since, attempts }: Patience): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(due.due_at) as "oldestAt"
    from (
      select * from due_instants
      where done_at is null and test_clock_id is null and parked_at is null and ready_at <= ${now.add(RETRY_MAX)}::timestamptz
      order by ready_at limit ${ROWS_MAX}::integer
    ) as due
    where (due.ready_at < ${since}::timestamptz or due.attempts >= ${attempts}::integer) and not exists (
      select from due_instants earlier
      where earlier.organization_id = due.organization_id and earlier.customer_id = due.customer_id and earlier.done_at is null
        and earlier.parked_at is null and (earlier.due_at, earlier.rank, earlier.id) < (due.due_at, due.rank, due.id)
    )`.execute(dispatcherDb);
  return rows[0] ?? NOTHING_WAITS;
}
