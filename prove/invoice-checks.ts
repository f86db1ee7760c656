/** What must be true of all invoices of a cluster, counted in SQL over what is stored and with none of the service's code. */
import { createPool } from "../packages/server/src/platform/postgres/pool.ts";

/** Connections of the harness, apart from those of the service. */
export type Records = ReturnType<typeof createPool>;

export const openVerifier = (url: string): Records =>
  createPool({ url, role: "verifier", connectionsMax: 1, statementTimeoutMs: 300_000 });

export type Counts = Record<string, number>;

export type Findings = { broken: Counts; figures: Counts };

/**
 * Every invoice is complete, numbered without a gap and published once, every bill is on one, and the sum of parts is the total. Each plan has
 * one charge, which counts all events of its metric: bills are whole, and every event is on one side of their snapshot.
 */
export async function checkInvoicesOfCalls(url: string): Promise<Findings> {
  const records = openVerifier(url);
  try {
    const broken: Counts = {};
    for (const query of [MADE, NUMBERED, PUBLISHED, WHOLE]) Object.assign(broken, await countRow(records, query));
    const { eventsInvoiced = 0, eventsLate = 0, invoicesWithLateEvents = 0, ...cut } = await countRow(records, CUT);
    const figures = await countRow(records, FIGURES);
    return {
      broken: { ...broken, ...cut },
      figures: { ...figures, eventsInvoiced, eventsLate, invoicesWithLateEvents },
    };
  } finally {
    await records.end();
  }
}

export async function countRow(records: Records, query: string, parameters: unknown[] = []): Promise<Counts> {
  const { rows } = await records.query<Record<string, unknown>>(query, parameters);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(String(value))]));
}

const FIGURES = `
  select
    (select count(*) from invoices where status <> 'generating') as invoices,
    (select count(*) from invoices where sequential_id is not null) as numbered,
    (select count(*) from fees) as fees,
    (select count(*) from outbox where webhook_type = 'invoice.created') as messages`;

/** A bill gives what its windows say: a fee of the plan, and one of each charge that was used. */
const WHOLE = `
  with given as (
    select bill.organization_id, bill.id,
      (bill.fee_from is not null)::integer as fees_due,
      (select count(*) from fees fee where fee.organization_id = bill.organization_id and fee.bill_id = bill.id
        and fee.fee_type = 'subscription') as fees_made,
      (select count(distinct (quantity ->> 'chargeId')) from invoice_bills link
        join invoices invoice on invoice.organization_id = link.organization_id and invoice.id = link.invoice_id
        cross join jsonb_array_elements(invoice.made_from -> 'bills') as part
        cross join jsonb_array_elements(part -> 'inArrears') as quantity
        where link.organization_id = bill.organization_id and link.bill_id = bill.id
          and part ->> 'billId' = bill.id::text and quantity ->> 'events' <> '0') as charges_due,
      (select count(distinct fee.charge_id) from fees fee where fee.organization_id = bill.organization_id
        and fee.bill_id = bill.id and fee.fee_type = 'charge' and not fee.is_renewal) as charges_made
    from bills bill
  )
  select count(*) filter (where fees_due <> fees_made or charges_due <> charges_made) as "billsPartial" from given`;

const MADE = `
  with sums as (
    select organization_id, invoice_id, sum(amount_cents) as amount, count(*) as fees from fees
    where invoice_id is not null group by organization_id, invoice_id
  ),
  taxed as (
    select organization_id, invoice_id, sum(amount_cents) as amount, count(*) as taxes from invoice_taxes
    group by organization_id, invoice_id
  )
  select
    (select count(*) from invoices where status = 'generating') as "invoicesUnmade",
    (select count(*) from bills bill where not exists (
      select from invoice_bills link where link.organization_id = bill.organization_id and link.bill_id = bill.id
    )) as "billsOnNoInvoice",
    (select coalesce(sum(times - 1), 0) from (
      select count(*) as times from invoice_bills group by organization_id, bill_id
    ) as links) as "billsOnTwoInvoices",
    (select coalesce(sum(times - 1), 0) from (
      select count(*) as times from invoices where invoice_key is not null
      group by organization_id, customer_id, invoice_key, occurred_at
    ) as occasions) as "invoicesDoubled",
    (select count(*) from bills one join bills other on other.organization_id = one.organization_id
      and other.subscription_id = one.subscription_id and other.id > one.id
      and tstzrange(one.charges_from, one.charges_to) && tstzrange(other.charges_from, other.charges_to)
      where one.charges_from is not null and other.charges_from is not null) as "usageBilledTwice",
    (select count(*) from invoices invoice left join sums on sums.organization_id = invoice.organization_id
        and sums.invoice_id = invoice.id
      where invoice.status <> 'generating' and (
        invoice.fees_amount_cents <> coalesce(sums.amount, 0)
        or invoice.total_amount_cents <> invoice.fees_amount_cents - invoice.coupons_amount_cents
          + invoice.taxes_amount_cents - invoice.credit_notes_amount_cents - invoice.prepaid_credit_amount_cents
      )) as "invoicesPartial",
    -- Each tax is rounded for its line, their sum once for the invoice.
    (select count(*) from invoices invoice left join taxed on taxed.organization_id = invoice.organization_id
        and taxed.invoice_id = invoice.id
      where invoice.status <> 'generating'
        and abs(invoice.taxes_amount_cents - coalesce(taxed.amount, 0)) > coalesce(taxed.taxes, 0)) as "invoicesTaxedOtherwise"`;

/** Of each series: 1 to n, and the counter stands at n. */
const NUMBERED = `
  with series as (
    select organization_id, 'invoices:' || customer_id as series, sequential_id as number from invoices
    where sequential_id is not null
    union all
    select organization_id, 'invoices', organization_sequential_id from invoices where organization_sequential_id is not null
  ),
  ranges as (
    select organization_id, series, count(distinct number) as numbers, count(*) as invoices, max(number) as last
    from series group by organization_id, series
  )
  select
    (select coalesce(sum(last - numbers), 0) from ranges) as "numbersMissing",
    (select coalesce(sum(invoices - numbers), 0) from ranges) as "numbersTwice",
    (select count(*) from counters counter left join ranges using (organization_id, series)
      where counter.series like 'invoices%' and counter.value <> coalesce(ranges.last, 0)) as "countersAhead"`;

/** Of each that was finalized one message, which says what is stored. */
const PUBLISHED = `
  with messages as (
    select organization_id, object_id, count(*) as times,
      min(payload -> 'invoice' ->> 'number') as number, min(payload -> 'invoice' ->> 'total_amount_cents') as total
    from outbox where webhook_type in ('invoice.created', 'invoice.one_off_created') group by organization_id, object_id
  )
  select
    (select count(*) from invoices invoice left join messages message
        on message.organization_id = invoice.organization_id and message.object_id = invoice.id
      where invoice.sequential_id is not null and message.times is null) as "messagesLost",
    (select coalesce(sum(times - 1), 0) from messages) as "messagesDoubled",
    (select count(*) from messages message left join invoices invoice
        on invoice.organization_id = message.organization_id and invoice.id = message.object_id
      where invoice.sequential_id is null or invoice.number <> message.number
        or invoice.total_amount_cents::text <> message.total) as "messagesUntrue"`;

/**
 * Up to the stored snapshot an event is in the invoice, beyond it late:
 * the invoice stores how many it counted and the sum of their digests. More of them than lie up to the snapshot are in both, fewer in
 * neither, and as many with another sum are the wrong ones.
 */
const CUT = `
  with measured as (
    select invoice.organization_id, bill.id as bill_id, bill.charges_from, bill.charges_to,
      part ->> 'externalSubscriptionId' as subscription, invoice.made_from -> 'cut' as cut,
      (select coalesce(sum((quantity ->> 'events')::bigint), 0) from jsonb_array_elements(part -> 'inArrears') as quantity)
        as counted,
      (select mod(coalesce(sum((quantity ->> 'digest')::numeric), 0), 2::numeric ^ 128)
        from jsonb_array_elements(part -> 'inArrears') as quantity) as digest
    from invoices invoice cross join jsonb_array_elements(invoice.made_from -> 'bills') as part
    join bills bill on bill.organization_id = invoice.organization_id and bill.id = (part ->> 'billId')::uuid
    where invoice.sequential_id is not null and bill.charges_from is not null
  ),
  seen as (
    select measured.*, sides.*,
      (select coalesce(sum(fee.units), 0) from fees fee where fee.organization_id = measured.organization_id
        and fee.bill_id = measured.bill_id and fee.fee_type = 'charge') as units
    from measured cross join lateral (
      select count(*) filter (where is_inside) as inside, count(*) filter (where not is_inside) as late,
        mod(coalesce(sum(event.digest) filter (where is_inside), 0), 2::numeric ^ 128) as inside_digest
      from events event
      cross join lateral (select event.position <= coalesce((measured.cut ->> event.shard)::bigint, 0) as is_inside) as side
      where event.organization_id = measured.organization_id and event.external_subscription_id = measured.subscription
        and event."timestamp" >= measured.charges_from and event."timestamp" < measured.charges_to
    ) as sides
  )
  select
    coalesce(sum(greatest(counted - inside, 0)), 0) as "eventsInBoth",
    coalesce(sum(greatest(inside - counted, 0)), 0) as "eventsInNeither",
    count(*) filter (where counted = inside and digest <> inside_digest) as "otherEventsInvoiced",
    count(*) filter (where units <> counted) as "feesOfOtherUnits",
    coalesce(sum(inside), 0) as "eventsInvoiced",
    coalesce(sum(late), 0) as "eventsLate",
    count(*) filter (where late > 0) as "invoicesWithLateEvents"
  from seen`;
