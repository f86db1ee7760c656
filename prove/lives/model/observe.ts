/** All that can be seen of the subscriptions of an organization: by the API, and in the database. */
import type pg from "pg";
import { describeStoredBill } from "./bills.ts";
import type { Seen } from "./expected.ts";

type Row = Record<string, string | null>;
type Window = { from: string; to: string; firstDay: string; lastDay: string; periodDays: number; freeDays?: number };
type Stored = {
  subscriptions: (Row & { id: string })[];
  periods: Row[];
  bills: (Row & { windows: Record<"fee" | "charges" | "renewal" | "commitment", Window | null> })[];
  dues: Row[];
  messages: Row[];
  failures: string[];
  /** Rows that waited while one with a later instant was done. What a request schedules for an instant in the past comes after that. */
  out_of_order: string[];
};

/** One statement, so that all of it is of one moment. */
const READ = `
  select json_build_object(
    'subscriptions', (select coalesce(json_agg(json_build_object('id', id, 'origin', origin, 'cause', end_cause,
        'start_day', start_day, 'anchor', anchor, 'first_started_at', first_started_at, 'trial_ends_at', trial_ends_at,
        'zone', case when started_at is not null then time_zone end) order by id), '[]')
      from subscriptions where organization_id = $1),
    'periods', (select coalesce(json_agg(json_build_object('subscription', subscription_id, 'kind', kind,
        'from', starts_at, 'to', ends_at, 'first_day', first_day, 'last_day', last_day) order by kind, starts_at), '[]')
      from subscription_periods where organization_id = $1),
    'bills', (select coalesce(json_agg(json_build_object('subscription', subscription_id, 'reason', reason,
        'at', occurred_at, 'ready_at', ready_at, 'key', invoice_key, 'customer', customer_id, 'windows', windows)), '[]')
      from bills where organization_id = $1),
    'dues', (select coalesce(json_agg(json_build_object('subscription', subject_id, 'kind', kind, 'at', due_at)), '[]')
      from due_instants where organization_id = $1 and done_at is null
        and kind in ('activation', 'downgrade', 'period_end', 'trial_end', 'ending', 'termination_alert')),
    'messages', (select coalesce(json_agg(json_build_object('subscription', object_id, 'type', webhook_type)), '[]')
      from outbox
      -- A change by a request is not a step in a life.
      where organization_id = $1 and object_type = 'subscription' and webhook_type <> 'subscription.updated'),
    'out_of_order', (select coalesce(json_agg(concat_ws(' ', waiting.kind, waiting.due_at, 'made', uuid_extract_timestamp(waiting.id),
        'done', waiting.done_at, 'after', done.kind, done.due_at, 'done', done.done_at)), '[]')
      from due_instants waiting join due_instants done on done.organization_id = $1 and done.customer_id = waiting.customer_id
        and done.due_at > waiting.due_at and done.done_at < waiting.done_at
        and done.done_at > uuid_extract_timestamp(waiting.id)
      where waiting.organization_id = $1),
    'failures', (select coalesce(json_agg(last_error), '[]')
      from test_clocks where organization_id = $1 and last_error is not null)
  ) as stored`;

/** What is stored, by the id of the subscription in the order they were made in; and why a clock could not go on. */
export async function readStored(
  database: Pick<pg.Pool, "query">,
  organizationId: string,
): Promise<{ seen: Map<string, Omit<Seen, "shown">>; failures: string[]; outOfOrder: string[] }> {
  const { rows } = await database.query<{ stored: Stored }>(READ, [organizationId]);
  const stored = rows[0]?.stored;
  if (!stored) throw new Error("The statement gives one row.");
  const ids = stored.subscriptions.map(({ id }) => id);
  const seen = stored.subscriptions.map((row) => [row.id, seeStored(stored, row, ids)] as const);
  return { seen: new Map(seen), failures: stored.failures, outOfOrder: stored.out_of_order };
}

function seeStored(stored: Stored, { id, ...facts }: Stored["subscriptions"][number], ids: readonly string[]) {
  const own = <Each extends Row>(rows: readonly Each[]) => rows.filter(({ subscription }) => subscription === id);
  return {
    facts: Object.entries(facts).map(([name, value]) => `${name} ${utc(value)}`),
    periods: own(stored.periods).map(
      ({ kind, from, to, first_day, last_day }) => `${kind} ${utc(from)} to ${utc(to)}, ${first_day} to ${last_day}`,
    ),
    bills: stored.bills
      .filter(({ subscription }) => subscription === id)
      .map((bill) => seeBill(bill, ids))
      .toSorted(),
    dues: own(stored.dues)
      .map(({ kind, at }) => `${kind} ${utc(at)}`)
      .toSorted(),
    messages: own(stored.messages)
      .map(({ type }) => String(type))
      .toSorted(),
  };
}

const seeBill = ({ reason, at, ready_at, key, customer, windows }: Stored["bills"][number], ids: readonly string[]) =>
  describeStoredBill({
    ...windows,
    reason: String(reason),
    at: wholeSecond(at),
    readyAt: wholeSecond(ready_at),
    key: key === customer ? "customer" : `subscription ${ids.indexOf(String(key))}`,
  });

/** Postgres writes an instant with the offset of its session, which is that of UTC. */
const utc = (text: string | null | undefined): string => String(text).replace("+00:00", "Z");

/** A bill is of the instant of the request, which may lie between two seconds. */
const wholeSecond = (text: string | null | undefined): string => utc(text).replace(/\.\d+Z$/, "Z");

/** The members that the model knows of a subscription in an answer. */
export const seeShown = (subscription: Readonly<Record<string, unknown>>, known: Seen["shown"]): Seen["shown"] =>
  Object.fromEntries(Object.keys(known).map((name) => [name, subscription[name] as string | null]));
