/** All SQL on advance_metrics, advance_tallies and advance_values. It also reads events, fees and bills. */
import type { InAdvanceTally } from "@tallystick/core/rating";
import type { Group } from "@tallystick/core/usage";
import { sql } from "kysely";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";

/** An event with the canonical texts of its properties; null for a property that is null. */
export type EventRow = {
  id: string;
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: Temporal.Instant;
  received_at: Temporal.Instant;
  shard: number;
  position: bigint;
  texts: Readonly<Record<string, string | null>> | null;
};

/** Events at these positions whose metrics ever had a charge in advance. */
export async function findEvents(
  tx: Tx,
  organizationId: string,
  { shard, after, upTo }: { shard: number; after: bigint; upTo: bigint },
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select id, transaction_id, external_subscription_id, code, "timestamp", received_at, shard, position, (
      select jsonb_object_agg(name, coalesce(canonical ->> name, properties ->> name)) from jsonb_object_keys(properties) as name
    ) as texts
    from events
    where organization_id = ${organizationId} and shard = ${shard}::smallint and position > ${after}::bigint
      and position <= ${upTo}::bigint and code = any (array(
        select metric.code from advance_metrics advance
        join billable_metrics metric on metric.organization_id = advance.organization_id and metric.id = advance.billable_metric_id
        where advance.organization_id = ${organizationId}
      ))
    order by position`.execute(tx);
  return rows;
}

/** Identifies the events of a tally. */
export type TallyKey = {
  subscriptionId: string;
  chargeId: string;
  /** Start of the period. */
  from: Temporal.Instant;
  filterId: string | null;
  group: Group;
};

/** Whether tallies cover the earlier events of a charge in a period, for the filters and groups of this plan version. */
export async function isOpened(
  tx: Tx,
  organizationId: string,
  { subscriptionId, chargeId, from, planVersion }: Omit<TallyKey, "filterId" | "group"> & Version,
): Promise<boolean> {
  const row = await tx
    .selectFrom("advance_tallies")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("subscription_id", "=", subscriptionId)
    .where("charge_id", "=", chargeId)
    .where("from_at", "=", from)
    .where("plan_version", "=", planVersion)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type TallyRow = { id: string; tally: InAdvanceTally };
type Version = { planVersion: number };

/** Locks the tally of a filter and group, unless the plan no longer has them. */
export async function lockTally(
  tx: Tx,
  organizationId: string,
  key: TallyKey & Version,
): Promise<TallyRow | undefined> {
  const { rows } = await sql<TallyRow>`
    select id, tally from advance_tallies
    where organization_id = ${organizationId} and subscription_id = ${key.subscriptionId} and charge_id = ${key.chargeId}
      and from_at = ${key.from}::timestamptz and charge_filter_id is not distinct from ${key.filterId}::uuid
      and md5(grouped_by::text) = md5(${JSON.stringify(key.group)}::jsonb::text)
      and plan_version = ${key.planVersion}::integer
    for update`.execute(tx);
  return rows[0];
}

/** Sets the totals so far and replaces earlier ones. */
export async function putTally(
  tx: Tx,
  organizationId: string,
  key: TallyKey & Version,
  tally: InAdvanceTally,
): Promise<TallyRow> {
  const { rows } = await sql<TallyRow>`
    insert into advance_tallies (organization_id, id, subscription_id, charge_id, charge_filter_id, grouped_by, from_at,
      plan_version, tally, fees)
    values (${organizationId}, ${newId()}, ${key.subscriptionId}, ${key.chargeId}, ${key.filterId}::uuid,
      ${JSON.stringify(key.group)}::jsonb, ${key.from}::timestamptz, ${key.planVersion}::integer, ${JSON.stringify(tally)}::jsonb, 0)
    on conflict (organization_id, subscription_id, charge_id, from_at, charge_filter_id, md5(grouped_by::text))
      do update set tally = excluded.tally, plan_version = excluded.plan_version
    returning id, tally`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("what was put is there");
  return row;
}

/** Called after a fee. */
export async function countFee(tx: Tx, organizationId: string, { id, tally }: TallyRow): Promise<void> {
  await tx
    .updateTable("advance_tallies")
    .set({ tally: JSON.stringify(tally), fees: sql`fees + 1` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}

/** Replaces the digests of the values in use. */
export async function replaceValues(
  tx: Tx,
  organizationId: string,
  { tallyId, digests }: { tallyId: string; digests: readonly Buffer[] },
): Promise<void> {
  await tx
    .deleteFrom("advance_values")
    .where("organization_id", "=", organizationId)
    .where("tally_id", "=", tallyId)
    .execute();
  await sql`
    insert into advance_values (organization_id, tally_id, value_digest)
    select ${organizationId}, ${tallyId}, digest from unnest(${digests}::bytea[]) as digest`.execute(tx);
}

type Since = Pick<TallyKey, "subscriptionId" | "chargeId" | "from"> & { since: Temporal.Instant };

/** The ids of events at or after an instant that have a fee of the charge in a period. */
export async function findBilledSince(tx: Tx, organizationId: string, of: Since): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select events.id from fees
    join events on events.organization_id = fees.organization_id and events.id = fees.event_id
    where fees.organization_id = ${organizationId} and fees.subscription_id = ${of.subscriptionId} and fees.charge_id = ${of.chargeId}
      and fees.from_at = ${of.from}::timestamptz and fees.event_id is not null and events."timestamp" >= ${of.since}::timestamptz`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

type Value = { tallyId: string; digest: Buffer };

export async function isValueInUse(tx: Tx, organizationId: string, { tallyId, digest }: Value): Promise<boolean> {
  const row = await tx
    .selectFrom("advance_values")
    .select("tally_id")
    .where("organization_id", "=", organizationId)
    .where("tally_id", "=", tallyId)
    .where("value_digest", "=", digest)
    .executeTakeFirst();
  return row !== undefined;
}

export async function useValue(tx: Tx, organizationId: string, { tallyId, digest }: Value): Promise<void> {
  await tx
    .insertInto("advance_values")
    .values({ organization_id: organizationId, tally_id: tallyId, value_digest: digest })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function dropValue(tx: Tx, organizationId: string, { tallyId, digest }: Value): Promise<void> {
  await tx
    .deleteFrom("advance_values")
    .where("organization_id", "=", organizationId)
    .where("tally_id", "=", tallyId)
    .where("value_digest", "=", digest)
    .execute();
}

/** Subscriptions that close a period on the same occasion as a bill. */
export async function findSubscriptionsClosed(tx: Tx, organizationId: string, billId: string): Promise<string[]> {
  const { rows } = await sql<{ subscription_id: string }>`
    select other.subscription_id from bills one
    join bills other on other.organization_id = one.organization_id and other.customer_id = one.customer_id
      and other.occurred_at = one.occurred_at and other.invoice_key = one.invoice_key
    where one.organization_id = ${organizationId} and one.id = ${billId} and other.reason in ('periodic', 'terminating')
    order by other.subscription_id`.execute(tx);
  return rows.map(({ subscription_id }) => subscription_id);
}
