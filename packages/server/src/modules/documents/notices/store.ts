/** All SQL on notice_items. */
import { sql } from "kysely";
import { batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";

export type ItemKind = "parked_item" | "held_invoice";
type NewItem = { kind: ItemKind; itemId: string; notedAt: Temporal.Instant; readyAt: Temporal.Instant };

/** An item that is noted already stays as it is. */
export const insertItems = batchedWrite<NewItem>(async (tx, organizationId, items) => {
  await tx
    .insertInto("notice_items")
    .values(
      items.map(({ kind, itemId, notedAt, readyAt }) => ({
        organization_id: organizationId,
        kind,
        item_id: itemId,
        noted_at: notedAt,
        ready_at: readyAt,
      })),
    )
    .onConflict((conflict) => conflict.columns(["organization_id", "kind", "item_id"]).doNothing())
    .execute();
});

/** Over all organizations, for the dispatcher: the one whose items have been ready longest. */
export async function findOrganizationToNotify(
  dispatcherDb: Database,
  now: Temporal.Instant,
): Promise<string | undefined> {
  const row = await dispatcherDb
    .selectFrom("notice_items")
    .select("organization_id")
    .where("settled_at", "is", null)
    .where("ready_at", "<=", now)
    .orderBy("ready_at")
    .limit(1)
    .executeTakeFirst();
  return row?.organization_id;
}

/** Until the transaction ends. False: another worker writes the notice of the organization, by its organization_id. */
export async function tryLockNotices(tx: Tx, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`notices ${organizationId}`}, 0)) as "isLocked"`.execute(tx);
  return rows[0]?.isLocked === true;
}

export async function postponeItems(tx: Tx, organizationId: string, readyAt: Temporal.Instant): Promise<void> {
  await tx
    .updateTable("notice_items")
    .set({ ready_at: readyAt })
    .where("organization_id", "=", organizationId)
    .where("settled_at", "is", null)
    .execute();
}

export type Item = { kind: ItemKind; id: string; title: string; reason: string };

/** Settles all items of the organization, and returns those that still wait for an operator, longest first. */
export async function takeItems(tx: Tx, organizationId: string, now: Temporal.Instant): Promise<Item[]> {
  const { rows } = await sql<Item>`
    with taken as (
      update notice_items set settled_at = ${now}::timestamptz
      where organization_id = ${organizationId} and settled_at is null
      returning kind, item_id, noted_at
    )
    select taken.kind, taken.item_id as id, item.title, item.reason
    from taken cross join lateral (
      select parked.object_type || ' ' || coalesce(parked.external_id, parked.object_id::text) as title, parked.reason
      from parked_items as parked
      where taken.kind = 'parked_item' and parked.organization_id = ${organizationId} and parked.id = taken.item_id
        and parked.status = 'parked'
      union all
      select 'invoice ' || held.invoice_id || ' of customer ' || customer.external_id,
        'Two computations differ: ' || (
          select string_agg(distinct difference ->> 'figure', ', ') from jsonb_array_elements(held.differences) as difference
        )
      from second_opinions as held
      join invoices as invoice on invoice.organization_id = ${organizationId} and invoice.id = held.invoice_id
      join customers as customer on customer.organization_id = ${organizationId} and customer.id = invoice.customer_id
      where taken.kind = 'held_invoice' and held.organization_id = ${organizationId}
        and held.invoice_id = taken.item_id and held.released_at is null
    ) as item
    order by taken.noted_at, taken.item_id`.execute(tx);
  return rows;
}

export async function linkItems(
  tx: Tx,
  organizationId: string,
  { items, mailId }: { items: readonly Item[]; mailId: string },
): Promise<void> {
  const kinds = items.map(({ kind }) => kind);
  const ids = items.map(({ id }) => id);
  await sql`
    update notice_items set mail_id = ${mailId}::uuid
    where organization_id = ${organizationId}
      and (kind, item_id) in (select * from unnest(${kinds}::text[], ${ids}::uuid[]))`.execute(tx);
}
