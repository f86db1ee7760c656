/** All SQL on activities, activity_seals and activity_heads. */
import { type Insertable, sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { NOTHING_WAITS, type Patience, ROWS_MAX, type Waiting } from "../../../jobs/waiting.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { ActivityRow } from "./schema.ts";

type NewActivity = Omit<Insertable<DB["activities"]>, "organization_id" | "erased_by">;

/** With its seal, which waits for a worker. The database computes the digest of the row from what it stored. */
export async function insertActivity(tx: Tx, organizationId: string, row: NewActivity): Promise<void> {
  await sql`
    with activity as (
      insert into activities (organization_id, id, created_at, actor_kind, actor_id, address, operation, object_type, object_id, request_id,
        difference, salt, difference_digest)
      values (${organizationId}, ${row.id}, ${row.created_at}, ${row.actor_kind}, ${row.actor_id}, ${row.address}, ${row.operation},
        ${row.object_type}, ${row.object_id}, ${row.request_id}, ${row.difference}, ${row.salt}, ${row.difference_digest})
      returning *
    )
    insert into activity_seals (organization_id, activity_id, recorded_at, row_digest)
    select organization_id, id, created_at, sha256(convert_to(json_build_array(
      organization_id, id, (extract(epoch from created_at) * 1000000)::bigint, actor_kind, actor_id, address, operation, object_type,
      object_id, request_id, encode(difference_digest, 'hex'))::text, 'UTF8'))
    from activity`.execute(tx);
}

const shown = (tx: Tx, organizationId: string) =>
  tx.selectFrom("activities").selectAll("activities").where("activities.organization_id", "=", organizationId);

/** Indexes: activities_list, activities_of_object and activities_of_actor. */
export const pageOfActivities = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf<"activities", ActivityRow>(shown(tx, organizationId), list, {
    sorts: { created_at: [byInstant("created_at")] },
    filters: {
      actor_kind: "actor_kind",
      actor_id: "actor_id",
      object_type: "object_type",
      object_id: "object_id",
      operation: "operation",
    },
  });

export const findActivity = async (tx: Tx, organizationId: string, id: string): Promise<ActivityRow | undefined> =>
  isUuid(id) ? shown(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

const WAITING_AT_ONCE = 50;

/** Over all organizations, for the dispatcher: each organization_id with rows to seal, and with `isSigned` those with a head to sign. */
export async function findUnsealed(dispatcherDb: Database, isSigned: boolean): Promise<string[]> {
  // Steps from one organization to the next in the index, however many rows wait.
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (id) as (
      (select organization_id from activity_seals where sequence is null order by organization_id limit 1)
      union all
      select (select organization_id from activity_seals
        where sequence is null and organization_id > waiting.id order by organization_id limit 1)
      from waiting where waiting.id is not null
    )
    select id from waiting where id is not null
    union
    select organization_id from activity_heads where mac is null and ${isSigned}::boolean
    limit ${WAITING_AT_ONCE}`.execute(dispatcherDb);
  return rows.map(({ id }) => id);
}

export type Head = {
  organization_id: string;
  sequence: bigint;
  chain: Buffer;
  pruned_sequence: bigint;
  pruned_chain: Buffer;
  mac: Buffer | null;
  master_version: number | null;
};

const HEAD = sql`organization_id, sequence, chain, pruned_sequence, pruned_chain, mac, master_version`;

/** undefined: another worker has it. */
export async function takeHead(tx: Tx, organizationId: string): Promise<Head | undefined> {
  const { rows } = await sql<Head>`
    select ${HEAD} from activity_heads where organization_id = ${organizationId} for update skip locked`.execute(tx);
  return rows[0];
}

/** Over every organization_id, for the dispatcher. */
export async function listHeads(dispatcherDb: Database): Promise<Head[]> {
  return (await sql<Head>`select ${HEAD} from activity_heads order by organization_id`.execute(dispatcherDb)).rows;
}

export async function updateHead(tx: Tx, { organization_id, ...head }: Head): Promise<void> {
  await tx.updateTable("activity_heads").set(head).where("organization_id", "=", organization_id).execute();
}

type WaitingSeal = { activity_id: string; row_digest: Buffer };

/** What a worker sees is committed. What commits later has a later place, whatever its id. */
export const findWaitingSeals = (tx: Tx, organizationId: string, limit: number): Promise<WaitingSeal[]> =>
  tx
    .selectFrom("activity_seals")
    .select(["activity_id", "row_digest"])
    .where("organization_id", "=", organizationId)
    .where(sql<boolean>`sequence is null`)
    .orderBy("activity_id")
    .limit(limit)
    .execute();

export type Sealed = { activityId: string; sequence: bigint; chain: Buffer };

export async function seal(tx: Tx, organizationId: string, sealed: readonly Sealed[]): Promise<void> {
  await sql`
    update activity_seals set sequence = given.sequence, chain = decode(given.chain, 'hex')
    from unnest(
      ${sealed.map(({ activityId }) => activityId)}::uuid[],
      ${sealed.map(({ sequence }) => String(sequence))}::bigint[],
      ${sealed.map(({ chain }) => chain.toString("hex"))}::text[]
    ) as given (activity_id, sequence, chain)
    where activity_seals.organization_id = ${organizationId} and activity_seals.activity_id = given.activity_id`.execute(
    tx,
  );
}

/** Over all organizations, for the dispatcher. Reads at most ROWS_MAX seals, of any organization_id. */
export async function countUnsealed(dispatcherDb: Database, { since }: Patience): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(recorded_at) as "oldestAt"
    from (select recorded_at from activity_seals where sequence is null limit ${ROWS_MAX}::integer) as waiting
    where recorded_at < ${since}::timestamptz`.execute(dispatcherDb);
  return rows[0] ?? NOTHING_WAITS;
}

/** The chain at a sequence; undefined if it is pruned, or not reached. */
export async function findChain(tx: Tx, organizationId: string, sequence: bigint): Promise<Buffer | undefined> {
  const { rows } = await sql<{ chain: Buffer }>`
    select chain from activity_seals where organization_id = ${organizationId} and sequence = ${sequence}
    union all
    select pruned_chain from activity_heads where organization_id = ${organizationId} and pruned_sequence = ${sequence}
    limit 1`.execute(tx);
  return rows[0]?.chain;
}

/** The last sequence before the first activity that is not older; at most `limit` after `from`. */
export async function findPrunable(
  tx: Tx,
  organizationId: string,
  { from, before, limit }: { from: bigint; before: Temporal.Instant; limit: number },
): Promise<bigint> {
  const { rows } = await sql<{ sequence: bigint; recorded_at: Temporal.Instant }>`
    select sequence, recorded_at from activity_seals
    where organization_id = ${organizationId} and sequence > ${from} order by sequence limit ${limit}`.execute(tx);
  const kept = rows.findIndex(({ recorded_at }) => Temporal.Instant.compare(recorded_at, before) >= 0);
  return (kept === -1 ? rows : rows.slice(0, kept)).at(-1)?.sequence ?? from;
}

/** The head must have its checkpoint before: a trigger demands it. */
export async function deletePruned(tx: Tx, organizationId: string, through: bigint): Promise<void> {
  await sql`
    delete from activities where organization_id = ${organizationId} and id in (
      select activity_id from activity_seals where organization_id = ${organizationId} and sequence <= ${through}
    )`.execute(tx);
  await sql`
    delete from activity_seals where organization_id = ${organizationId} and sequence <= ${through}`.execute(tx);
}

type OfObject = { object: { type: string; id: string }; limit: number };

/** The activities of an object that still have a difference, locked. */
export async function lockErasable(tx: Tx, organizationId: string, { object, limit }: OfObject): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from activities
    where organization_id = ${organizationId} and object_type = ${object.type} and object_id = ${object.id}
      and difference_digest is not null and erased_by is null
    order by id limit ${limit} for update`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function eraseDifferences(
  tx: Tx,
  organizationId: string,
  { ids, erasedBy }: { ids: readonly string[]; erasedBy: string },
): Promise<void> {
  await sql`
    update activities set difference = null, salt = null, erased_by = ${erasedBy}
    where organization_id = ${organizationId} and id = any(${ids}::uuid[])`.execute(tx);
}
