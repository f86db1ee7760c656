/** All SQL on test_clocks. */
import { sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { failedAttempt } from "../../../jobs/backoff.ts";
import { NOTHING_WAITS, type Patience, type Waiting } from "../../../jobs/waiting.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { TestClockRow } from "./schema.ts";

const any = (tx: Tx, organizationId: string) =>
  tx.selectFrom("test_clocks").selectAll().where("organization_id", "=", organizationId);

const live = (tx: Tx, organizationId: string) => any(tx, organizationId).where("deleted_at", "is", null);

export const findTestClock = async (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

/** Includes deleted clocks: what was due for their customers before the deletion still runs. */
export const findAnyTestClock = (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  any(tx, organizationId).where("id", "=", id).executeTakeFirst();

export const lockAnyTestClock = (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  any(tx, organizationId).where("id", "=", id).forUpdate().executeTakeFirst();

/** Lock for moving the clock. */
export const lockTestClock = async (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).forUpdate().executeTakeFirst() : undefined;

/** Lock for writing for a customer on the clock: it does not move until the transaction ends. */
export const holdTestClock = async (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).forShare().executeTakeFirst() : undefined;

/** The same lock, deleted clocks included. */
export const holdAnyTestClock = (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  any(tx, organizationId).where("id", "=", id).forShare().executeTakeFirst();

/** Index: test_clocks_list. */
export function pageOfTestClocks(tx: Tx, organizationId: string, list: ListRequest<"status">) {
  const { status } = list.filters;
  const query = live(tx, organizationId).$if(status !== undefined, (some) =>
    some.where(sql<boolean>`${SHOWN_STATUS} = any(${status}::text[])`),
  );
  return pageOf(query, list, { sorts: { created_at: [byInstant("created_at")] }, search: ["name"] });
}

const SHOWN_STATUS = sql<string>`case when advancing_to is null then 'ready' else 'advancing' end`;

/** The test clock of a customer, if it has one. */
export const findClockOfCustomer = (
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<{ id: string } | undefined> =>
  tx
    .selectFrom("customers")
    .select((of) => of.ref("test_clock_id").$notNull().as("id"))
    .where("organization_id", "=", organizationId)
    .where("id", "=", customerId)
    .where("test_clock_id", "is not", null)
    .executeTakeFirst();

type NewTestClock = { id: string; name: string | null; now: Temporal.Instant; createdAt: Temporal.Instant };

export const insertTestClock = (tx: Tx, organizationId: string, clock: NewTestClock): Promise<TestClockRow> =>
  tx
    .insertInto("test_clocks")
    .values({
      organization_id: organizationId,
      id: clock.id,
      name: clock.name,
      now: clock.now,
      created_at: clock.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

export type TestClockChange = Partial<
  Pick<TestClockRow, "now" | "advancing_to" | "ready_at" | "attempts" | "last_error" | "deleted_at">
>;

export const updateTestClock = (
  tx: Tx,
  organizationId: string,
  id: string,
  change: TestClockChange,
): Promise<TestClockRow> =>
  tx
    .updateTable("test_clocks")
    .set(change)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The columns of a clock that does not advance. */
export const IDLE = { advancing_to: null, ready_at: null, attempts: 0, last_error: null };

/** Waits for a running step. Undefined if the clock does not advance, or no longer. */
export const stopAdvance = async (tx: Tx, organizationId: string, id: string): Promise<TestClockRow | undefined> =>
  isUuid(id)
    ? tx
        .updateTable("test_clocks")
        .set(IDLE)
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .where("advancing_to", "is not", null)
        .where("deleted_at", "is", null)
        .returningAll()
        .executeTakeFirst()
    : undefined;

/** The next step has one row. Changes nothing if the advance was canceled meanwhile. */
export async function noteFailedAdvance(tx: Tx, organizationId: string, id: string, error: unknown): Promise<void> {
  await tx
    .updateTable("test_clocks")
    .set({ attempts: 1, last_error: String(error) })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("advancing_to", "is not", null)
    .execute();
}

/** Over every organization_id, for the dispatcher: an advance that no process continues. */
export const findAbandonedAdvance = (dispatcherDb: Database, now: Temporal.Instant) =>
  dispatcherDb
    .selectFrom("test_clocks")
    .select(["organization_id as organizationId", "id"])
    .where("advancing_to", "is not", null)
    .where("deleted_at", "is", null)
    .where("ready_at", "<=", now)
    .orderBy("ready_at")
    .limit(1)
    .executeTakeFirst();

/** Lets one worker continue the advance: others would only wait for its steps. */
export async function claimAdvance(
  tx: Tx,
  organizationId: string,
  { id, now, until }: { id: string; now: Temporal.Instant; until: Temporal.Instant },
): Promise<boolean> {
  const claimed = await tx
    .updateTable("test_clocks")
    .set({ ready_at: until })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("advancing_to", "is not", null)
    .where("ready_at", "<=", now)
    .returning("id")
    .executeTakeFirst();
  return claimed !== undefined;
}

/** After a failed step: retries with increasing delays, up to a minute. Changes nothing if the advance was canceled meanwhile. */
export async function postponeAdvance(
  tx: Tx,
  organizationId: string,
  { id, now, error }: { id: string; now: Temporal.Instant; error: unknown },
): Promise<void> {
  await tx
    .updateTable("test_clocks")
    .set(failedAttempt({ now, error, secondsMax: 60 }))
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("advancing_to", "is not", null)
    .execute();
}

/** Over every organization_id, for the dispatcher: advances that fail, or that no worker continues. */
export async function countWaitingAdvances(dispatcherDb: Database, { since, attempts }: Patience): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(ready_at) as "oldestAt" from test_clocks
    where advancing_to is not null and deleted_at is null
      and (ready_at < ${since}::timestamptz or attempts >= ${attempts}::integer)`.execute(dispatcherDb);
  return rows[0] ?? NOTHING_WAITS;
}
