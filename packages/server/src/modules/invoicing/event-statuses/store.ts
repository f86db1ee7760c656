/**
 * All SQL on counted_windows. For the status of events it also reads subscriptions, periods, bills, plan versions, fees, invoices and
 * the cursor of fees in advance: by keys, for a whole page of events at once.
 */
import type { Metric } from "@tallystick/core/catalog";
import { sql } from "kysely";
import { type Batch, batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { PlanTerms } from "../../catalogue/index.ts";

/** The number of events of a metric in a bill's window, up to a snapshot. */
export type CountedWindow = {
  billId: string;
  metricId: string;
  externalSubscriptionId: string;
  code: string;
  from: Temporal.Instant;
  to: Temporal.Instant;
  cut: readonly bigint[];
  planId: string;
  planVersion: number;
  metric: Pick<Metric, "aggregation" | "filters">;
  eventsCounted: bigint;
  eventsIgnored: bigint;
};

/** An invoice may have more windows than a statement has parameters. */
const ROWS_PER_STATEMENT = 500;

/** Replaces the windows of a draft. */
export const saveCountedWindows = (batch: Batch, organizationId: string, counted: Counted): Promise<void> =>
  replaceWindows(batch, organizationId, [counted]);

type Counted = { invoiceId: string; windows: readonly CountedWindow[] };

const replaceWindows = batchedWrite<Counted>(async (tx, organizationId, all) => {
  const invoiceIds = all.map(({ invoiceId }) => invoiceId);
  await sql`
    delete from counted_windows where organization_id = ${organizationId} and bill_id in (
      select bill_id from invoice_bills where organization_id = ${organizationId} and invoice_id = any(${invoiceIds}::uuid[])
    )`.execute(tx);
  const windows = all.flatMap(({ invoiceId, windows }) => windows.map((window) => ({ invoiceId, ...window })));
  const rows = windows.map((window) => ({
    organization_id: organizationId,
    bill_id: window.billId,
    billable_metric_id: window.metricId,
    invoice_id: window.invoiceId,
    external_subscription_id: window.externalSubscriptionId,
    code: window.code,
    from_at: window.from,
    to_at: window.to,
    cut: sql<bigint[]>`${window.cut}::bigint[]`,
    plan_id: window.planId,
    plan_version: window.planVersion,
    metric: JSON.stringify(window.metric),
    events_counted: window.eventsCounted,
    events_ignored: window.eventsIgnored,
  }));
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    await tx
      .insertInto("counted_windows")
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .execute();
});

/** Before the windows of a draft are counted again, keeps those of its standalone fees. The first window stays. */
export async function keepWindows(tx: Tx, organizationId: string, feeIds: readonly string[]): Promise<void> {
  if (feeIds.length === 0) return;
  await sql`
    insert into kept_windows (organization_id, fee_id, external_subscription_id, code, from_at, cut, plan_id, plan_version, metric)
    select ${organizationId}::uuid, fee.id, counted.external_subscription_id, counted.code, counted.from_at, counted.cut,
      counted.plan_id, counted.plan_version, counted.metric
    from fees as fee
    join counted_windows as counted on counted.organization_id = ${organizationId} and counted.bill_id = fee.bill_id
      and counted.billable_metric_id = fee.item_id
    where fee.organization_id = ${organizationId} and fee.id = any(${feeIds}::uuid[])
    on conflict (organization_id, fee_id) do nothing`.execute(tx);
}

/** The keys to look up an event. */
export type EventPlace = {
  externalSubscriptionId: string;
  code: string;
  at: Temporal.Instant;
  shard: number;
  position: bigint;
};

export type HeldRow = {
  /** The index of the event, from 0. */
  number: number;
  /** null: no counted window with a later snapshot contains the event. */
  held: {
    bill_id: string;
    metric_id: string;
    plan_id: string;
    plan_version: number;
    metric: Pick<Metric, "aggregation" | "filters">;
    invoice_status: "draft" | "finalized" | "voided";
  } | null;
  /** In the window of a finalized invoice. */
  is_in_window: boolean;
};

/** Stops Postgres from joining whole tables, which it may plan while they are small: rows are looked up one by one. */
const BY_KEY = sql`offset 0`;

/** At the exact end of the window: a recurring metric counts events accepted before the plan change that ended it. */
const CAME_BEFORE_CHANGE = sql`metric #>> '{aggregation,isRecurring}' = 'true' and metric #>> '{aggregation,type}' <> 'weighted_sum'
  and event.position <= (
    select (windows -> 'acceptedBefore' ->> event.shard)::bigint from bills
    where organization_id = counted.organization_id and id = counted.bill_id
  )`;

/** For each event, the first counted window that contains it. */
export async function findHolders(tx: Tx, organizationId: string, places: readonly EventPlace[]): Promise<HeldRow[]> {
  const { rows } = await sql<HeldRow>`
    select (event.number - 1)::integer as number, (
        select jsonb_build_object('bill_id', bill_id, 'metric_id', billable_metric_id, 'plan_id', plan_id,
          'plan_version', plan_version, 'metric', metric, 'invoice_status', (
            select status from invoices where organization_id = ${organizationId} and id = counted.invoice_id
          ))
        from counted_windows as counted
        where organization_id = ${organizationId} and external_subscription_id = event.external_id and code = event.code
          and to_at >= event.at and from_at <= event.at and cut[event.shard + 1] >= event.position
          and (to_at > event.at or ${CAME_BEFORE_CHANGE})
        order by to_at, bill_id limit 1
      ) as held, exists (
        select from counted_windows as counted
        where organization_id = ${organizationId} and external_subscription_id = event.external_id and code = event.code
          and to_at >= event.at and from_at <= event.at and (to_at > event.at or ${CAME_BEFORE_CHANGE}) and (
            select status from invoices where organization_id = ${organizationId} and id = counted.invoice_id
          ) in ('finalized', 'voided')
      ) as is_in_window
    from unnest(
      ${places.map(({ externalSubscriptionId }) => externalSubscriptionId)}::text[], ${places.map(({ code }) => code)}::text[],
      ${places.map(({ at }) => at)}::timestamptz[], ${places.map(({ shard }) => shard)}::integer[],
      ${places.map(({ position }) => position)}::bigint[]
    ) with ordinality as event (external_id, code, at, shard, position, number)`.execute(tx);
  return rows;
}

export type LifeRow = {
  id: string;
  external_id: string;
  customer_id: string;
  plan_id: string;
  begins_at: Temporal.Instant;
  first_started_at: Temporal.Instant | null;
  terminated_at: Temporal.Instant | null;
  first_period_from: Temporal.Instant | null;
  open_period_from: Temporal.Instant | null;
  is_end_skipped: boolean;
};

/** All started or pending subscriptions with these external ids. */
export async function findLives(tx: Tx, organizationId: string, externalIds: readonly string[]): Promise<LifeRow[]> {
  const { rows } = await sql<LifeRow>`
    select id, external_id, customer_id, plan_id, coalesce(started_at, takes_over_at, subscription_at) as begins_at,
      first_started_at, terminated_at, (
        select starts_at from subscription_periods as period
        where period.organization_id = ${organizationId} and period.subscription_id = own.id and period.kind = 'charges'
        order by starts_at limit 1
      ) as first_period_from, (
        select starts_at from subscription_periods as period
        where period.organization_id = ${organizationId} and period.subscription_id = own.id and period.kind = 'charges'
        order by starts_at desc limit 1
      ) as open_period_from, (end_cause = 'ended' and on_termination_invoice = 'skip') is true as is_end_skipped
    from subscriptions as own
    where organization_id = ${organizationId} and external_id = any(${externalIds}::text[]) and status <> 'canceled'`.execute(
    tx,
  );
  return rows;
}

export type UnfinishedRow = {
  subscription_id: string;
  charges_from: Temporal.Instant;
  charges_to: Temporal.Instant;
  was_skipped: boolean;
};

/** The usage windows of these customers' invoices that are not finalized. Skipped invoices never will be. */
export async function findUnfinished(
  tx: Tx,
  organizationId: string,
  customerIds: readonly string[],
): Promise<UnfinishedRow[]> {
  const { rows } = await sql<UnfinishedRow>`
    select bill.subscription_id, bill.charges_from, bill.charges_to, invoice.skipped_at is not null as was_skipped
    from invoices as invoice
    cross join lateral (
      select bill_id from invoice_bills where organization_id = ${organizationId} and invoice_id = invoice.id ${BY_KEY}
    ) as link
    cross join lateral (
      select subscription_id, charges_from, charges_to from bills
      where organization_id = ${organizationId} and id = link.bill_id and charges_from is not null ${BY_KEY}
    ) as bill
    where invoice.organization_id = ${organizationId} and invoice.customer_id = any(${customerIds}::uuid[])
      and invoice.status in ('generating', 'draft')`.execute(tx);
  return rows;
}

export type FeeOfEventRow = { id: string; event_id: string; stands: boolean };

/** Fees in advance, including deleted ones. */
export async function findAdvanceFees(
  tx: Tx,
  organizationId: string,
  eventIds: readonly string[],
): Promise<FeeOfEventRow[]> {
  const { rows } = await sql<FeeOfEventRow>`
    select id, event_id, deleted_at is null and (
      select status from invoices where organization_id = ${organizationId} and id = fee.invoice_id
    ) is distinct from 'voided' as stands
    from fees as fee
    where organization_id = ${organizationId} and event_id = any(${eventIds}::uuid[])
    order by id`.execute(tx);
  return rows;
}

/** Decisions of operators on events whose fees in advance failed. The latest decision counts. */
export async function findParkedEvents(
  tx: Tx,
  organizationId: string,
  eventIds: readonly string[],
): Promise<{ event_id: string; status: "parked" | "retried" | "skipped" }[]> {
  const { rows } = await sql<{ event_id: string; status: "parked" | "retried" | "skipped" }>`
    select distinct on (object_id) object_id as event_id, status from parked_items
    where organization_id = ${organizationId} and object_id = any(${eventIds}::uuid[]) and kind = 'event'
    order by object_id, parked_at desc, id desc`.execute(tx);
  return rows;
}

export type FeeOfBillRow = { id: string; bill_id: string; fee_key: string; stands: boolean };

export async function findFeesByKeys(
  tx: Tx,
  organizationId: string,
  keys: readonly { billId: string; feeKey: string }[],
): Promise<FeeOfBillRow[]> {
  const { rows } = await sql<FeeOfBillRow>`
    select fee.id, fee.bill_id, fee.fee_key, fee.deleted_at is null and (
      select status from invoices where organization_id = ${organizationId} and id = fee.invoice_id
    ) is distinct from 'voided' as stands
    from unnest(${keys.map(({ billId }) => billId)}::uuid[], ${keys.map(({ feeKey }) => feeKey)}::text[]) as wanted (bill_id, fee_key)
    cross join lateral (
      select id, bill_id, fee_key, invoice_id, deleted_at from fees
      where organization_id = ${organizationId} and bill_id = wanted.bill_id and fee_key = wanted.fee_key ${BY_KEY}
    ) as fee`.execute(tx);
  return rows;
}

/** At index n, the last position of shard n that was processed for fees in advance. Empty if there never was such a charge. */
export async function findLookedAt(tx: Tx, organizationId: string): Promise<readonly bigint[]> {
  const row = await tx
    .selectFrom("advance_cursors")
    .select("positions")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row?.positions ?? [];
}

/** A plan version (null: the newest) whose charges on a metric are requested. */
export type RequestedCharges = { planId: string; version: number | null; metricId: string };

export type ChargesRow = { number: number; terms: PlanTerms };

/** The terms of each version, with the charges on its metric only. */
export async function findCharges(
  tx: Tx,
  organizationId: string,
  requested: readonly RequestedCharges[],
): Promise<ChargesRow[]> {
  const { rows } = await sql<ChargesRow>`
    select (wanted.number - 1)::integer as number, terms || jsonb_build_object('charges', (
        select coalesce(jsonb_agg(charge order by place), '[]')
        from jsonb_array_elements(terms -> 'charges') with ordinality as listed (charge, place)
        where charge ->> 'billable_metric_id' = wanted.metric_id
      )) as terms
    from unnest(${requested.map(({ planId }) => planId)}::uuid[], ${requested.map(({ version }) => version)}::integer[],
      ${requested.map(({ metricId }) => metricId)}::text[]) with ordinality as wanted (plan_id, version, metric_id, number)
    cross join lateral (
      select terms from plan_versions
      where organization_id = ${organizationId} and plan_id = wanted.plan_id and version <= coalesce(wanted.version, 2147483647)
      order by version desc limit 1
    ) as version`.execute(tx);
  return rows;
}

/** A metric that a subscription does not charge at the time of an event. */
export type MissingCharge = { subscriptionId: string; planId: string; metricId: string; at: Temporal.Instant };

/** Which of them were in an earlier plan version than the one that billed the window, or than the newest if none did. */
export async function findRemoved(
  tx: Tx,
  organizationId: string,
  missing: readonly MissingCharge[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ number: number }>`
    select (missing.number - 1)::integer as number
    from unnest(${missing.map(({ subscriptionId }) => subscriptionId)}::uuid[], ${missing.map(({ planId }) => planId)}::uuid[],
      ${missing.map(({ metricId }) => metricId)}::text[], ${missing.map(({ at }) => at)}::timestamptz[]
    ) with ordinality as missing (subscription_id, plan_id, metric_id, at, number)
    where exists (
      select from plan_versions as version
      where version.organization_id = ${organizationId} and version.plan_id = missing.plan_id
        and version.terms -> 'charges' @> jsonb_build_array(jsonb_build_object('billable_metric_id', missing.metric_id))
        and (version.version <= (
          select (billed ->> 'planVersion')::integer
          from bills as bill
          join invoice_bills as link on link.organization_id = ${organizationId} and link.bill_id = bill.id
          join invoices as invoice on invoice.organization_id = ${organizationId} and invoice.id = link.invoice_id
          cross join jsonb_array_elements(invoice.made_from -> 'bills') as billed
          where bill.organization_id = ${organizationId} and bill.subscription_id = missing.subscription_id
            and bill.charges_from <= missing.at and bill.charges_to > missing.at and billed ->> 'billId' = bill.id::text
        )) is not false
    )`.execute(tx);
  return rows.map(({ number }) => number);
}
