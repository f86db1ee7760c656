/** All SQL on due_instants. */
import { sql } from "kysely";
import type { Database, Tx } from "../platform/postgres/database.ts";
import { failedAttempt } from "./backoff.ts";

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

/** The same instant of the same subject is scheduled once, for ever; asking again changes nothing. */
export async function insertDues(tx: Tx, organizationId: string, dues: readonly NewDue[]): Promise<void> {
  if (dues.length === 0) return;
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
}

/**
 * Over all organizations, for the dispatcher: the next ready row of the real clock that is the first open one of its
 * customer; kinds that overtake do not count earlier ones that only wait to settle. It stays locked until the transaction ends,
 * so a killed worker frees it at once. With an `id`, only that one.
 */
export function claimReadyDue(
  tx: Tx,
  now: Temporal.Instant,
  { overtaking, id }: { overtaking: readonly string[]; id?: string | undefined },
): Promise<Due | undefined> {
  const holdsBack = sql<boolean>`(earlier.due_at, earlier.rank, earlier.id) < (due_instants.due_at, due_instants.rank, due_instants.id)
    and not (due_instants.kind = any(${overtaking}::text[]) and earlier.attempts = 0 and earlier.ready_at > ${now}::timestamptz)`;
  let ready = tx
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("done_at", "is", null)
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
            .where(holdsBack),
        ),
      ),
    );
  if (id !== undefined) ready = ready.where("id", "=", id);
  return ready.orderBy("ready_at").limit(1).forUpdate().skipLocked().executeTakeFirst();
}

/** The next open row up to an instant, of whatever the caller adds. */
const nextUntil = (tx: Tx, organizationId: string, until: Temporal.Instant) =>
  tx
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("organization_id", "=", organizationId)
    .where("done_at", "is", null)
    .where("due_at", "<=", until)
    .orderBy("due_at")
    .orderBy("rank")
    .orderBy("id")
    .limit(1)
    .forUpdate();

/** The next open rows of a clock, to look ahead: nothing is held. */
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
    .where("due_at", "<=", until)
    .orderBy("due_at")
    .orderBy("rank")
    .orderBy("id")
    .limit(limit)
    .execute();

/** The caller holds the clock's row, so no other advance can take it. */
export const claimDueOfTestClock = (tx: Tx, organizationId: string, testClockId: string, until: Temporal.Instant) =>
  nextUntil(tx, organizationId, until).where("test_clock_id", "=", testClockId).executeTakeFirst();

/** The caller holds the customer's row. */
export const claimDueOfCustomer = (
  tx: Tx,
  organizationId: string,
  customerId: string,
  { until, kinds }: { until: Temporal.Instant; kinds: readonly string[] },
) =>
  nextUntil(tx, organizationId, until)
    .where("customer_id", "=", customerId)
    .where("kind", "=", sql<string>`any(${kinds}::text[])`)
    .executeTakeFirst();

export async function finishDue(tx: Tx, organizationId: string, id: string, now: Temporal.Instant): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("due_instants")
    .set({ done_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("done_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error(`due instant ${id} was finished by someone else`);
}

/** What the subject was to do and is not listed any more; what is done stays. */
export async function deleteOtherDues(
  tx: Tx,
  organizationId: string,
  subjectId: string,
  kept: readonly { kind: string; dueAt: Temporal.Instant }[],
): Promise<void> {
  const kinds = kept.map(({ kind }) => kind);
  const instants = kept.map(({ dueAt }) => dueAt.toString());
  await tx
    .deleteFrom("due_instants")
    .where("organization_id", "=", organizationId)
    .where("subject_id", "=", subjectId)
    .where("done_at", "is", null)
    .where(sql<boolean>`(kind, due_at) not in (select * from unnest(${kinds}::text[], ${instants}::timestamptz[]))`)
    .execute();
}

/** After all time: what is ready then is held until somebody lets it go. */
export const HELD = Temporal.Instant.from("9999-12-31T00:00:00Z");

/** Open rows of these kinds on the real clock. What had failed begins anew. */
export async function holdDues(tx: Tx, organizationId: string, kinds: readonly string[]): Promise<void> {
  await sql`
    update due_instants set ready_at = ${HELD}, attempts = 0
    where organization_id = ${organizationId} and kind = any(${kinds}::text[]) and done_at is null
      and test_clock_id is null and ready_at < ${HELD}`.execute(tx);
}

/** Ready as if they had never been held; returns how many. */
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

/** Earliest first. */
export const findHeldDues = (tx: Tx, organizationId: string, kinds: readonly string[], limit: number): Promise<Due[]> =>
  tx
    .selectFrom("due_instants")
    .select(DUE_COLUMNS)
    .where("organization_id", "=", organizationId)
    .where("kind", "=", sql<string>`any(${kinds}::text[])`)
    .where("done_at", "is", null)
    .where("test_clock_id", "is", null)
    .where("ready_at", ">=", HELD)
    .orderBy("due_at")
    .orderBy("id")
    .limit(limit)
    .execute();

/** After a failed attempt: later again, ever more slowly, up to an hour. */
export async function postponeDue(
  dispatcherDb: Database,
  due: Due,
  now: Temporal.Instant,
  error: string,
): Promise<void> {
  await dispatcherDb
    .updateTable("due_instants")
    .set(failedAttempt({ now, error, secondsMax: 3600 }))
    .where("organization_id", "=", due.organizationId)
    .where("id", "=", due.id)
    .where("done_at", "is", null)
    .execute();
}

/** One at a time: whoever works for a customer holds its row. */
export async function lockCustomer(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await customerRow(tx, organizationId, customerId).forNoKeyUpdate().execute();
}

/** False if somebody else works for the customer just now. */
export async function tryLockCustomer(tx: Tx, organizationId: string, customerId: string): Promise<boolean> {
  const row = await customerRow(tx, organizationId, customerId).forNoKeyUpdate().skipLocked().executeTakeFirst();
  return row !== undefined;
}

const customerRow = (tx: Tx, organizationId: string, customerId: string) =>
  tx.selectFrom("customers").select("id").where("organization_id", "=", organizationId).where("id", "=", customerId);
