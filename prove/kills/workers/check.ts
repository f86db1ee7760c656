/** What must be true when everything is drained, counted in SQL over what the service and the harness wrote. */
import { type Counts, countRow, type Findings } from "../../invoice-checks.ts";
import type { Records } from "../records.ts";
import { JOB } from "./work.ts";

/** `takenOverWithinSeconds`: so long it may take until another worker has what a killed one held. */
export async function check(records: Records, takenOverWithinSeconds: number): Promise<Findings> {
  const [work, delivery, takeover, figures] = await Promise.all([
    countRow(records, BROKEN_WORK),
    countRow(records, BROKEN_DELIVERY, [JOB]),
    countRow(records, `${TAKEOVERS} select count(*) as "takeoversTooLate" from takeovers where seconds >= $1`, [
      takenOverWithinSeconds,
    ]),
    countRow(records, FIGURES),
  ]);
  const hundredths = Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]);
  return { broken: { ...work, ...delivery, ...takeover }, figures: Object.fromEntries(hundredths) };
}

/** What is still to be done; nothing once the workers have drained it. */
export async function countOpenWork(records: Records): Promise<Counts & { open: number }> {
  const counts = await countRow(
    records,
    `select (select count(*) from due_instants where done_at is null) as due,
       (select count(*) from outbox where dispatched_at is null) as messages,
       (select count(*) from graphile_worker.jobs where task_identifier = $1) as jobs`,
    [JOB],
  );
  return { ...counts, open: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Due rows and outbox: each once, with one effect, in the order of its customer. */
const BROKEN_WORK = `
  with effects as (select due_id, count(*) as times from prove.effects group by due_id),
  messages as (select object_id as due_id, count(*) as times from outbox group by object_id),
  handed as (select message_id, count(*) as times from prove.handed group by message_id),
  places as (
    select row_number() over (partition by customer_id order by number) as ran,
      row_number() over (partition by customer_id order by due_at, rank, due_id, number) as should_run
    from prove.effects
  )
  select
    (select count(*) from due_instants where done_at is null) as "dueRowsOpen",
    (select count(*) from due_instants where id not in (select due_id from effects)) as "effectsLost",
    (select coalesce(sum(times - 1), 0) from effects) as "effectsDoubled",
    (select count(*) from places where ran <> should_run) as "effectsOutOfOrder",
    (select count(*) from effects where due_id not in (select due_id from messages)) as "messagesLost",
    (select coalesce(sum(times - 1), 0) from messages) as "messagesDoubled",
    (select count(*) from outbox where dispatched_at is null) as "messagesOpen",
    (select count(*) from outbox where id not in (select message_id from handed)) as "messagesNotHandedOver",
    (select coalesce(sum(times - 1), 0) from handed) as "messagesHandedOverTwice"`;

/** To the outside: at least once, under the id of the message, and nothing waits any more. */
const BROKEN_DELIVERY = `
  select
    (select count(*) from outbox where id not in (select message_id from prove.deliveries)) as "deliveriesLost",
    (select count(*) from outbox where id not in (select message_id from prove.received)) as "messagesNotReceived",
    (select count(*) from prove.received where message_id not in (select id from outbox)) as "unknownIdsReceived",
    (select count(*) from graphile_worker.jobs where task_identifier = $1) as "jobsLeft"`;

/**
 * Due rows and messages: from the kill of a worker that had begun one until another has done it. Jobs: from the first
 * kill at which the lock was seen, until another is seen to hold it because it begins the job or is killed itself; so
 * rather too long than too short.
 */
const TAKEOVERS = `
  with locks as (
    select item_id as message_id, locked_by, at from prove.attempts where source = 'job'
    union all
    select locked.message_id, locked.locked_by, kills.killed_at
    from prove.locked join prove.kills on kills.worker = locked.killed
  ),
  takeovers as (
    select attempts.source, extract(epoch from due_instants.done_at - kills.killed_at)::double precision as seconds
    from prove.attempts join prove.kills using (worker) join due_instants on due_instants.id = attempts.item_id
    where attempts.source = 'due' and due_instants.done_at > kills.killed_at
    union all
    select attempts.source, extract(epoch from outbox.dispatched_at - kills.killed_at)::double precision
    from prove.attempts join prove.kills using (worker) join outbox on outbox.id = attempts.item_id
    where attempts.source = 'outbox' and outbox.dispatched_at > kills.killed_at
    union all
    select 'job', extract(epoch from min(locks.at) - min(kills.killed_at))::double precision
    from prove.locked join prove.kills on kills.worker = locked.killed
    join locks on locks.message_id = locked.message_id and locks.locked_by <> locked.locked_by and locks.at > kills.killed_at
    group by locked.message_id, locked.locked_by
  )`;

const takeoversOf = (source: string, name: string): string => `
    (select count(*) from takeovers where source = '${source}') as "${name}TakenOver",
    (select coalesce(max(seconds), 0) from takeovers where source = '${source}') as "${name}TakenOverSecondsMax"`;

const FIGURES = `${TAKEOVERS}
  select
    (select max(connections_gone_ms) from prove.kills) / 1000 as "connectionsGoneSecondsMax",
    (select count(*) from due_instants) as "dueRows",
    (select count(*) from prove.effects) as effects,
    (select count(*) from outbox) as messages,
    (select count(*) from prove.deliveries) as deliveries,
    (select count(*) from prove.received) as received,
    (select count(*) - count(distinct message_id) from prove.received) as "receivedAgain",
    ((select sum(attempts) from due_instants) + (select sum(attempts) from outbox)) as "failedAttempts",
    ${takeoversOf("due", "dueRows")}, ${takeoversOf("outbox", "messages")}, ${takeoversOf("job", "jobs")}`;
