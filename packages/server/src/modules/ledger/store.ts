/** All SQL on ledger_entries and receivable_openings. */
import { type Insertable, sql } from "kysely";
import { batchedWrite } from "../../platform/postgres/batch.ts";
import type { Database, Tx } from "../../platform/postgres/database.ts";
import type { DB } from "../../platform/postgres/schema.ts";

export type NewEntry = Omit<Insertable<DB["ledger_entries"]>, "organization_id">;

/** A batch may have more entries than a statement has parameters. */
const ROWS_PER_STATEMENT = 1000;

export const insertEntries = batchedWrite<NewEntry>(async (tx, organizationId, entries) => {
  for (let start = 0; start < entries.length; start += ROWS_PER_STATEMENT) {
    const rows = entries.slice(start, start + ROWS_PER_STATEMENT);
    await tx
      .insertInto("ledger_entries")
      .values(rows.map((entry) => ({ ...entry, organization_id: organizationId })))
      .execute();
  }
});

export type NewStatus = { sourceId: string; amountCents: bigint };

/** What sources of a kind moved on an account and was not reversed. */
export async function findBalances(
  tx: Tx,
  organizationId: string,
  { ownerId, account, kind }: { ownerId: string; account: string; kind: string },
): Promise<NewStatus[]> {
  const { rows } = await sql<NewStatus>`
    select entry.source_id as "sourceId", entry.amount_cents as "amountCents" from ledger_entries as entry
    where entry.organization_id = ${organizationId} and entry.account_kind = ${account} and entry.account_id = ${ownerId}
      and entry.source_kind = ${kind} and not exists (
        select from ledger_entries as reversal
        where reversal.organization_id = ${organizationId} and reversal.account_kind = ${account}
          and reversal.account_id = ${ownerId} and reversal.source_kind = ${`${kind}_reversal`}
          and reversal.source_id = entry.source_id)
    order by entry.id`.execute(tx);
  return rows;
}

/** Over all organizations, for the dispatcher: organizations whose documents of an earlier release may lack a receivable. */
export async function findUnfinishedOpenings(dispatcherDb: Database): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select organization_id from receivable_openings where finished_at is null order by organization_id`.execute(
    dispatcherDb,
  );
  return rows.map(({ organization_id }) => organization_id);
}

export async function countOpened(tx: Tx, organizationId: string, count: number): Promise<void> {
  await sql`
    update receivable_openings set opened_count = opened_count + ${count}
    where organization_id = ${organizationId}`.execute(tx);
}

/** Waits an hour, because a process of the earlier release may still create documents until then. */
export async function finishOpening(tx: Tx, organizationId: string, now: Temporal.Instant): Promise<void> {
  const at = String(now);
  await sql`
    update receivable_openings set finished_at = ${at}::timestamptz
    where organization_id = ${organizationId} and finished_at is null
      and created_at < ${at}::timestamptz - interval '1 hour'`.execute(tx);
}
