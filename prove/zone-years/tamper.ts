/** Faults of every kind, planted in what the service has stored: the check must find each of them, or it is blind. */
import pg from "pg";

/** The n-th subscription: each fault has one of its own. */
const nth = (number: number): string => `(select id from subscriptions order by id offset ${number} limit 1)`;

/** Some row of it. */
const one = (table: string, condition: string): string =>
  `ctid = (select ctid from ${table} where ${condition} order by ctid limit 1)`;

/** As the login, whom no policy holds, and without triggers. */
const FAULTS = [
  // A boundary an hour off: one is missing, another is too much.
  `update subscription_periods set ends_at = ends_at - interval '1 hour'
   where ${one("subscription_periods", `subscription_id = ${nth(0)}`)}`,
  `update bills set occurred_at = occurred_at - interval '1 second'
   where ${one("bills", `reason = 'periodic' and subscription_id = ${nth(1)}`)}`,
  `delete from due_instants where ${one("due_instants", `done_at is null and subject_id = ${nth(2)}`)}`,
  `insert into due_instants
     select organization_id, gen_random_uuid(), kind, subject_id, customer_id, test_clock_id, due_at + interval '1 second',
       rank, ready_at, attempts, last_error, done_at
     from due_instants where ${one("due_instants", `done_at is not null and subject_id = ${nth(3)}`)}`,
  // The last of all was done first.
  `update due_instants set done_at = done_at - interval '1 day'
   where ctid = (select ctid from due_instants where done_at is not null order by due_at desc, rank desc limit 1)`,
  `delete from outbox where ${one("outbox", `object_id = ${nth(4)}`)}`,
  `insert into outbox
     select organization_id, gen_random_uuid(), webhook_type, object_type, object_id, 'again', payload, created_at, ready_at,
       attempts, last_error, dispatched_at
     from outbox where ${one("outbox", `object_id = ${nth(5)}`)}`,
  // A day earlier, and a call more than there was.
  `update invoices set issuing_date = issuing_date - 1
   where id = (select invoice_id from invoice_bills where subscription_id = ${nth(0)} limit 1)`,
  `update fees set units = units + 1 where ${one("fees", `fee_type = 'charge' and subscription_id = ${nth(1)}`)}`,
  `update subscriptions set started_at = started_at + interval '1 second' where id = ${nth(6)}`,
  `update subscriptions set external_id = 'unheard of' where id = ${nth(7)}`,
];

export async function tamper(url: string): Promise<void> {
  const login = new pg.Client({ connectionString: url });
  await login.connect();
  try {
    await login.query("set session_replication_role = replica");
    for (const fault of FAULTS) {
      const { rowCount } = await login.query(fault);
      if (rowCount !== 1) throw new Error(`this fault was not planted: ${fault}`);
    }
  } finally {
    await login.end();
  }
}
