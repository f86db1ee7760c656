/** All SQL on security_counts. */
import { type Selectable, sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type SecurityCountRow = Selectable<DB["security_counts"]>;

type Count = { organizationId: string; day: string; kind: string; count: number };

/** Over all organizations, for the dispatcher. Every process locks the rows in the same order, that of the primary key: organization_id first. */
export async function addCounts(dispatcherDb: Database, counts: readonly Count[]): Promise<void> {
  await sql`
    insert into security_counts (organization_id, day, kind, count)
    select * from unnest(
      ${counts.map(({ organizationId }) => organizationId)}::uuid[],
      ${counts.map(({ day }) => day)}::date[],
      ${counts.map(({ kind }) => kind)}::text[],
      ${counts.map(({ count }) => String(count))}::bigint[]
    ) as counted (organization_id, day, kind, count)
    order by organization_id, day, kind
    on conflict (organization_id, day, kind) do update set count = security_counts.count + excluded.count`.execute(
    dispatcherDb,
  );
}

type OfPerson = { userId: string; kind: string; day: string };

/** Over every organization_id of the person. */
export async function countForPerson(dispatcherDb: Database | Tx, { userId, kind, day }: OfPerson): Promise<void> {
  await sql`
    insert into security_counts (organization_id, day, kind, count)
    select organization_id, ${day}::date, ${kind}, 1 from members where user_id = ${userId} order by organization_id
    on conflict (organization_id, day, kind) do update set count = security_counts.count + excluded.count`.execute(
    dispatcherDb,
  );
}

type Days = { from: Temporal.PlainDate; to: Temporal.PlainDate };

/** The newest day first. */
export const listCounts = (tx: Tx, organizationId: string, { from, to }: Days): Promise<SecurityCountRow[]> =>
  tx
    .selectFrom("security_counts")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("day", ">=", from)
    .where("day", "<=", to)
    .orderBy("day", "desc")
    .orderBy("kind")
    .execute();
