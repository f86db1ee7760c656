/**
 * What credit notes returned of fees, and which invoice comes next. Only this file of the capability reads tables of capabilities above it,
 * and it writes nothing.
 */
import { type Decimal, type Minor, minor } from "@tallystick/core/money";
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";

/**
 * What a subscription was billed for a period on other invoices than this one, without taxes: the fee in advance, monthly usage, and
 * fees in advance, less automatic credits at the end of the subscription. Fees on a voided invoice count, because a period is not
 * billed again automatically.
 */
export async function sumFeesOfPeriod(
  tx: Tx,
  organizationId: string,
  {
    subscriptionId,
    from,
    to,
    exceptBillId,
  }: { subscriptionId: string; from: Temporal.Instant; to: Temporal.Instant; exceptBillId: string },
): Promise<Minor> {
  const { total } = await tx
    .selectFrom("fees")
    .select(
      sql<Decimal>`coalesce(sum(amount_cents - (
        select coalesce(sum(item.amount_cents), 0) from credit_note_items item
        join credit_notes note on note.organization_id = item.organization_id and note.id = item.credit_note_id
        where item.organization_id = fees.organization_id and item.fee_id = fees.id
          and note.unused_of_subscription_id is not null
      )), 0)`.as("total"),
    )
    .where("organization_id", "=", organizationId)
    .where("subscription_id", "=", subscriptionId)
    .where("fee_type", "in", ["subscription", "charge"])
    .where("from_at", ">=", from)
    .where("from_at", "<", to)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`bill_id is distinct from ${exceptBillId}::uuid`)
    .executeTakeFirstOrThrow();
  return minor(BigInt(total.toFixed()));
}

/** A fee of a charge in advance, for days after an instant. */
export type PaidAheadRow = {
  id: string;
  /** null: a standalone fee. */
  invoice_status: string | null;
  aggregation_type: string;
  /** What credit notes credited of it. */
  credited: Decimal;
  /** The last number of units of its filter and group; null: as many as at the start of the period. */
  units_held: string | null;
  /** Of its charges period. */
  first_day: Temporal.PlainDate;
  last_day: Temporal.PlainDate;
};

type Ahead = { subscriptionId: string; metricCodes: readonly string[]; after: Temporal.Instant };

/** Fees of a subscription and of those that it replaced, in order of creation. */
export async function findPaidAhead(
  tx: Tx,
  organizationId: string,
  { subscriptionId, metricCodes, after }: Ahead,
): Promise<PaidAheadRow[]> {
  // By their links, not by their start: two plans may start at the same instant.
  const { rows } = await sql<PaidAheadRow>`
    with recursive replaced as (
      select organization_id, id, previous_subscription_id, customer_id, external_id from subscriptions
      where organization_id = ${organizationId} and id = ${subscriptionId}
      union all
      select own.organization_id, own.id, own.previous_subscription_id, own.customer_id, own.external_id
      from replaced
      join subscriptions own on own.organization_id = replaced.organization_id and own.id = replaced.previous_subscription_id
    )
    select fee.id, invoice.status as invoice_status, metric.aggregation_type, period.first_day, period.last_day,
      (select coalesce(sum(item.precise_amount_cents), 0) from credit_note_items item
        where item.organization_id = fee.organization_id and item.fee_id = fee.id) as credited,
      (select tally.tally -> 'usage' ->> 'units' from advance_tallies tally
        join charges charge on charge.organization_id = tally.organization_id and charge.id = tally.charge_id
        join subscriptions held on held.organization_id = tally.organization_id and held.id = tally.subscription_id
        where tally.organization_id = fee.organization_id and held.customer_id = own.customer_id
          and held.external_id = own.external_id and charge.billable_metric_id = fee.item_id
          and tally.charge_filter_id is not distinct from fee.charge_filter_id
          and md5(tally.grouped_by::text) = md5(fee.grouped_by::text)
          and tally.from_at >= fee.from_at and tally.from_at <= ${after}::timestamptz
        order by tally.from_at desc limit 1) as units_held
    from replaced own
    join fees fee on fee.organization_id = own.organization_id and fee.subscription_id = own.id
    join subscription_periods period on period.organization_id = fee.organization_id
      and period.subscription_id = fee.subscription_id and period.kind = 'charges' and period.ends_at = fee.to_at
    join billable_metrics metric on metric.organization_id = fee.organization_id and metric.id = fee.item_id
    left join invoices invoice on invoice.organization_id = fee.organization_id and invoice.id = fee.invoice_id
    where fee.fee_type = 'charge' and fee.pay_in_advance and fee.item_code = any(${metricCodes}::text[]) and fee.to_at > ${after}::timestamptz
      and fee.deleted_at is null
    order by fee.created_at, fee.line, fee.id`.execute(tx);
  return rows;
}

/** What credit notes credited of a fee, to 5 decimals of a minor unit, and the status of its invoice; null: it has none. */
export async function findBalance(
  tx: Tx,
  organizationId: string,
  feeId: string,
): Promise<{ credited: Decimal; invoice_status: string | null }> {
  const { rows } = await sql<{ credited: Decimal; invoice_status: string | null }>`
    select invoice.status as invoice_status, (
      select coalesce(sum(item.precise_amount_cents), 0) from credit_note_items item
      where item.organization_id = fee.organization_id and item.fee_id = fee.id
    ) as credited
    from fees fee
    left join invoices invoice on invoice.organization_id = fee.organization_id and invoice.id = fee.invoice_id
    where fee.organization_id = ${organizationId} and fee.id = ${feeId}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`fee ${feeId} is gone`);
  return row;
}

/** The first invoice of a customer's subscriptions with an external id that is about to be made. Others wait for an operator. */
export async function findWaitingInvoice(
  tx: Tx,
  organizationId: string,
  { customerId, externalId, except = [] }: { customerId: string; externalId: string; except?: readonly string[] },
): Promise<{ id: string; occurred_at: Temporal.Instant } | undefined> {
  const { rows } = await sql<{ id: string; occurred_at: Temporal.Instant }>`
    select invoice.id, invoice.occurred_at
    from invoices invoice
    where invoice.organization_id = ${organizationId} and invoice.customer_id = ${customerId}
      and invoice.status = 'generating' and invoice.skipped_at is null and invoice.id <> all(${except}::uuid[])
      and exists (select from invoice_bills link
        join subscriptions billed on billed.organization_id = link.organization_id and billed.id = link.subscription_id
        where link.organization_id = invoice.organization_id and link.invoice_id = invoice.id
          and billed.external_id = ${externalId})
      and not exists (select from second_opinions held
        where held.organization_id = invoice.organization_id and held.invoice_id = invoice.id and held.released_at is null)
      and not exists (select from parked_items item
        where item.organization_id = invoice.organization_id and item.object_id = invoice.id and item.status = 'parked')
    order by invoice.occurred_at, invoice.id
    limit 1`.execute(tx);
  return rows[0];
}
