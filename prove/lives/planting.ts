/** Faults of every kind, planted for a moment in the rows of a life that was right: the comparison with the model must find each of them. */
import type pg from "pg";

/** Some row of a table. */
const one = (table: string, condition: string): string =>
  `ctid = (select ctid from ${table} where organization_id = $1 and ${condition} order by ctid limit 1)`;

const IS_OPEN = "done_at is null and kind in ('activation', 'period_end', 'trial_end', 'ending')";

const LIFE_MESSAGES = "object_type = 'subscription' and webhook_type <> 'subscription.updated'";

export const PLANTINGS: Readonly<Record<string, string>> = {
  "a period ends an hour early": `update subscription_periods set ends_at = ends_at - interval '1 hour'
    where ${one("subscription_periods", "true")}`,
  "a bill is a second early": `update bills set occurred_at = occurred_at - interval '1 second'
    where ${one("bills", "reason = 'periodic'")}`,
  "what is due is gone": `delete from due_instants where ${one("due_instants", IS_OPEN)}`,
  "what is due is due again": `insert into due_instants
    select organization_id, gen_random_uuid(), kind, subject_id, customer_id, test_clock_id, due_at + interval '1 second', rank, ready_at,
      attempts, last_error, done_at
    from due_instants where ${one("due_instants", IS_OPEN)}`,
  "what was due first was done last": `update due_instants set done_at = done_at + interval '100 years' where ctid = (
      select ctid from due_instants where organization_id = $1 and done_at is not null and customer_id is not null
      order by due_at, id limit 1
    )`,
  "a message is lost": `delete from outbox where ${one("outbox", LIFE_MESSAGES)}`,
  "a message is doubled": `insert into outbox
    select organization_id, gen_random_uuid(), webhook_type, object_type, object_id, 'again', payload, created_at, ready_at, attempts,
      last_error, dispatched_at
    from outbox where ${one("outbox", LIFE_MESSAGES)}`,
  "a subscription began a day later": `update subscriptions set start_day = start_day + 1
    where ${one("subscriptions", "start_day is not null")}`,
};

/** As superuser, without triggers, and taken back at once. Undefined: there was no such row. */
export async function withPlanted<Result>(
  { stage: { pool }, organizationId }: { stage: { pool: pg.Pool }; organizationId: string },
  name: string,
  look: (rows: Pick<pg.Pool, "query">) => Promise<Result>,
): Promise<Result | undefined> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    const { rowCount } = await client.query(PLANTINGS[name] ?? "", [organizationId]);
    return rowCount === 1 ? await look(client) : undefined;
  } finally {
    await client.query("rollback");
    client.release();
  }
}
