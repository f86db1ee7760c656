/** All SQL on parked_items. */
import { type Insertable, sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { ParkedItemRow } from "./schema.ts";

/** undefined: it is already parked. */
export const insertParkedItem = (
  tx: Tx,
  organizationId: string,
  item: Omit<Insertable<DB["parked_items"]>, "organization_id">,
): Promise<ParkedItemRow | undefined> =>
  tx
    .insertInto("parked_items")
    .values({ ...item, organization_id: organizationId })
    // A literal, because a cached plan with a parameter would not use the partial index.
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "source", "item_id"]).where(sql<boolean>`status = 'parked'`).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();

const all = (tx: Tx, organizationId: string) =>
  tx.selectFrom("parked_items").selectAll().where("organization_id", "=", organizationId);

export const findParkedItem = async (tx: Tx, organizationId: string, id: string): Promise<ParkedItemRow | undefined> =>
  isUuid(id) ? all(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

/** Index: parked_items_list. */
export const pageOfParkedItems = (tx: Tx, organizationId: string, { filters, ...list }: ListRequest) =>
  pageOf(
    all(tx, organizationId),
    { ...list, filters: { status: ["parked"], ...filters } },
    { sorts: { parked_at: [byInstant("parked_at")] }, filters: { status: "status", kind: "kind" } },
  );

/** Items that wait for an operator, longest first. */
export const listParked = (db: Database, organizationId: string, limit: number): Promise<ParkedItemRow[]> =>
  inOrganization(db, organizationId, (tx) =>
    all(tx, organizationId).where("status", "=", "parked").orderBy("parked_at").orderBy("id").limit(limit).execute(),
  );

type Resolution = { id: string; status: "retried" | "skipped"; reason: string; now: Temporal.Instant };

/** undefined: the item is already resolved. A concurrent second call waits for the first and finds that. */
export const resolveParkedItem = (
  tx: Tx,
  organizationId: string,
  { id, status, reason, now }: Resolution,
): Promise<ParkedItemRow | undefined> =>
  tx
    .updateTable("parked_items")
    .set({ status, resolved_at: now, resolution: reason, ...(status === "retried" && { attempts: sql`attempts + 1` }) })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("status", "=", "parked")
    .returningAll()
    .executeTakeFirst();

/** Called after a failed retry. undefined: the item was resolved meanwhile. */
export const countAttempt = (
  tx: Tx,
  organizationId: string,
  { id, reason }: { id: string; reason: string },
): Promise<ParkedItemRow | undefined> =>
  tx
    .updateTable("parked_items")
    .set({ attempts: sql`attempts + 1`, reason })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("status", "=", "parked")
    .returningAll()
    .executeTakeFirst();

/** Parked events of a subscription that are not billed, or not yet. */
export async function findLeftOut(
  tx: Tx,
  organizationId: string,
  { source, subscription }: { source: string; subscription: string },
): Promise<ReadonlySet<bigint>> {
  const { rows } = await sql<{ order: string }>`
    select work ->> 'order' as "order" from parked_items
    where organization_id = ${organizationId} and source = ${source} and status <> 'retried'
      and work ->> 'subscription' = ${subscription}`.execute(tx);
  return new Set(rows.map(({ order }) => BigInt(order)));
}

/** Over all organizations, for the dispatcher: counts items that wait for an operator. */
export async function countParked(dispatcherDb: Database): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`select count(*) from parked_items where status = 'parked'`.execute(
    dispatcherDb,
  );
  return rows[0]?.count ?? 0n;
}
