/** An organization with many customers, invoices and events, written by the database itself. */
import pg from "pg";

export type Size = { customers: number; invoices: number; events: number };

/** Foreign keys and triggers are off: the rows are consistent, and each check would cost more than its row. */
export async function fillLists(url: string, organizationId: string, size: Size): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const seconds: Record<string, number> = {};
  const run = async (name: string, text: string, values: readonly unknown[] = []): Promise<void> => {
    const begun = performance.now();
    await client.query(text, [...values]);
    seconds[name] = Math.round((performance.now() - begun) / 100) / 10;
  };
  try {
    await client.query("set session_replication_role = replica");
    await run("customers", CUSTOMERS, [organizationId, size.customers]);
    await run("invoices", INVOICES, [organizationId, size.invoices, size.customers]);
    await run("sums", "select sum_all_invoices()");
    await run("events", EVENTS, [organizationId, size.events, size.customers]);
    await client.query(
      "insert into event_heads select organization_id, shard, max(position) from events group by 1, 2",
    );
    await run("vacuum", "vacuum analyze");
  } finally {
    await client.end();
  }
  return seconds;
}

/** Ids follow from numbers, so that invoices name their customers without a join. */
const idOf = (kind: string, number: string): string => `md5('${kind} ' || ${number})::uuid`;

const CUSTOMERS = `
  insert into customers (organization_id, id, external_id, sequential_id, slug, name, legal_name, email, currency, created_at, updated_at)
  select $1, ${idOf("customer", "n")}, 'cust_' || n, n, 'BEN-' || n,
    (array['Ardent', 'Boreal', 'Cobalt', 'Dorset', 'Ember', 'Fathom', 'Granite', 'Harbor'])[1 + n % 8] || ' '
      || (array['Analytics', 'Labs', 'Logistics', 'Media', 'Robotics'])[1 + n % 5] || ' ' || substr(md5(n::text), 1, 6),
    'Company ' || n || ' Ltd', 'billing' || n || '@example.com', 'EUR', created_at, created_at
  from (select n, now() - ($2::integer - n) * interval '5 minutes' as created_at from generate_series(1, $2::integer) as n) as numbered`;

/** Of ten invoices, seven are paid, and one each is a draft, to pay, and overdue; one of a hundred is voided instead. */
const INVOICES = `
  insert into invoices (organization_id, id, customer_id, invoice_type, status, payment_status, payment_overdue, currency, number,
    sequential_id, issuing_date, payment_due_date, net_payment_term, time_zone, occurred_at, finalized_at, voided_at, has_receivable,
    fees_amount_cents, taxes_amount_cents, total_amount_cents, paid_amount_cents, made_from, derivation, created_at, updated_at)
  select $1, ${idOf("invoice", "n")}, ${idOf("customer", "1 + n % $3::integer")}, 'subscription', status,
    case when state < 7 and status = 'finalized' then 'succeeded' else 'pending' end, status = 'finalized' and state = 9,
    case when n % 20 = 0 then 'USD' else 'EUR' end,
    case when status = 'draft' then null else 'BEN-1A2B-' || lpad((1 + n % $3::integer)::text, 6, '0') || '-' || lpad((1 + n / $3::integer)::text, 6, '0') end,
    case when status = 'draft' then null else 1 + n / $3::integer end,
    created_at::date, created_at::date + 30, 30, 'UTC', created_at, case when status <> 'draft' then created_at end,
    case when status = 'voided' then created_at end, status <> 'draft', amount, amount / 5, amount + amount / 5,
    case when state < 7 and status = 'finalized' then amount + amount / 5 else 0 end,
    jsonb_build_object('program', md5('a' || n), 'events', md5('b' || n), 'taxes', md5('c' || n)),
    jsonb_build_object('steps', array[md5('d' || n), md5('e' || n), md5('f' || n), md5('g' || n), md5('h' || n), md5('i' || n)]),
    created_at, created_at
  from (
    select n, n % 10 as state, 1000 + n % 100000 as amount, now() - ($2::integer - n) * interval '30 seconds' as created_at,
      case when n % 100 = 0 then 'voided' when n % 10 = 7 then 'draft' else 'finalized' end as status
    from generate_series(1, $2::integer) as n
  ) as numbered`;

const EVENTS = `
  insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id, transaction_id,
    code, properties)
  select $1, gen_random_uuid(), at, at, n / 4 + 1, n % 4,
    (2::numeric ^ 64 * abs(hashint8extended(n, 0)::numeric)) + abs(hashint8extended(n, 1)::numeric),
    'sub_' || n % $3::integer, 'transaction ' || n, (array['calls', 'tokens', 'storage'])[1 + n % 3],
    jsonb_build_object('amount', (n % 100000) / 100.0, 'region', (array['us', 'eu', 'asia'])[1 + n % 3], 'user', 'user ' || n % 5003)
  from (
    select n, now() - ($2::bigint - n) * interval '250 milliseconds' as at from generate_series(1, $2::bigint) as n
  ) as numbered`;
