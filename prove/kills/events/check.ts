/** What must be true at the end: the client's log, the tables and the reader tell the same story. */
import type { Findings } from "../../invoice-checks.ts";
import { addDigests, digestOf } from "./digest.ts";
import type { Ledger } from "./ledger.ts";
import type { Plan } from "./plan.ts";
import type { Reader } from "./reader.ts";
import { type Records, readRecords } from "./records.ts";
import { eventOf, numberOf } from "./sent-events.ts";
import { isAsSent, storedEvents } from "./stored-events.ts";

type Story = { records: Records; plan: Plan; ledger: Ledger; reader: Reader };

export async function check(story: Story): Promise<Findings> {
  const { records, plan, ledger, reader } = story;
  const { times, expectedSum, ...rows } = await compareRows(story);
  const [row = {}] = await readRecords<Record<string, unknown>>(records, TABLES);
  const { digestSum, ...tables } = row as Record<CountedInTables, number> & { digestSum: string };
  const stored = times.reduce((sum, one) => sum + Number(one > 0), 0);
  const { counts } = ledger;
  const broken = {
    lost: count(times, (one, event) => one === 0 && ledger.idOf(event) !== undefined),
    notAcknowledged: count(times, (_, event) => ledger.idOf(event) === undefined),
    doubled: count(times, (one) => one > 1),
    ...rows,
    setDiffers: Number(tables.stored !== plan.events || digestSum !== expectedSum),
    keysWithoutEvent: tables.keysWithoutEvent,
    eventsWithoutKey: tables.eventsWithoutKey,
    acknowledgedUnderOtherId: counts.acknowledgedUnderOtherId,
    conflictsNotRefused: counts.conflictsNotRefused,
    refusedWithoutReason: counts.refusedWithoutReason,
    positionsMissingOrTwice: tables.positionsMissingOrTwice,
    headsElsewhere: tables.headsElsewhere,
    countersDoNotAddUp: Math.abs(tables.received - tables.new - tables.duplicate - tables.conflict - tables.rejected),
    countedNewNotStored: Math.abs(tables.new - tables.stored),
    acknowledgedNotCounted: Math.max(0, counts.eventsAcknowledged - tables.new - tables.duplicate),
    conflictsNotCounted: Math.max(0, counts.conflictsRefused - tables.conflict),
    countedNotSent: Math.max(0, tables.received - counts.eventsSent),
    readerGaps: reader.gaps(),
    readerSawTwice: count(reader.seen, (one) => one > 1),
    readerMissed: count(times, (one, event) => one > 0 && reader.seen[event] === 0),
    readerSawWhatIsGone: count(times, (one, event) => one === 0 && reader.seen[event] !== 0),
  };
  const { received, new: added, duplicate, conflict, rejected, shards } = tables;
  return { broken, figures: { ...counts, stored, received, new: added, duplicate, conflict, rejected, shards } };
}

function count(list: Uint8Array, isSo: (value: number, index: number) => boolean): number {
  return list.reduce((sum, value, index) => sum + Number(isSo(value, index)), 0);
}

/** Every stored event beside the one that was sent. */
async function compareRows({ records, plan, ledger }: Story) {
  const times = new Uint8Array(plan.events);
  const found = { neverSent: 0, otherBody: 0, otherDigest: 0, otherId: 0 };
  let expectedSum = sumOfTimed(records.organizationId, plan, ledger);
  for await (const row of storedEvents(records)) {
    const number = numberOf(row.external_subscription_id, row.transaction_id);
    if (!(number < plan.events)) {
      found.neverSent++;
      continue;
    }
    const event = eventOf(plan.seed, number);
    const timestamp = event.timestamp ?? row.received;
    const digest = digestOf(records.organizationId, event, timestamp);
    times[number] = (times[number] ?? 0) + 1;
    if (event.timestamp === undefined && times[number] === 1) expectedSum = addDigests(expectedSum, digest);
    if (!isAsSent(row, event)) found.otherBody++;
    if (row.digest !== digest.toString()) found.otherDigest++;
    if (row.id !== ledger.idOf(number)) found.otherId++;
  }
  return { times, expectedSum: expectedSum.toString(), ...found };
}

/** From the log alone. What was sent without a timestamp has the one that it was stored with, and is added later. */
function sumOfTimed(organizationId: string, plan: Plan, ledger: Ledger): bigint {
  let sum = 0n;
  for (let number = 0; number < plan.events; number++) {
    const event = eventOf(plan.seed, number);
    if (event.timestamp === undefined || ledger.idOf(number) === undefined) continue;
    sum = addDigests(sum, digestOf(organizationId, event, event.timestamp));
  }
  return sum;
}

type CountedInTables =
  | ("stored" | "shards" | "keysWithoutEvent" | "eventsWithoutKey" | "positionsMissingOrTwice" | "headsElsewhere")
  | ("received" | "new" | "duplicate" | "conflict" | "rejected");

const TABLES = `
  with own as (select shard, position, digest, external_subscription_id, transaction_id, id from events
    where organization_id = $1),
  keys as (select external_subscription_id, transaction_id, id from event_keys where organization_id = $1),
  shards as (select shard, count(*) as events, count(distinct position) as positions, min(position) as first,
    max(position) as last from own group by shard),
  heads as (select shard, position from event_heads where organization_id = $1),
  counts as (select coalesce(sum(received), 0) as received, coalesce(sum(new), 0) as new,
    coalesce(sum(duplicate), 0) as duplicate, coalesce(sum(conflict), 0) as conflict, coalesce(sum(rejected), 0) as rejected
    from event_counts where organization_id = $1)
  select
    (select count(*) from own)::integer as stored,
    (select mod(coalesce(sum(digest), 0), 2::numeric ^ 128)::numeric(39, 0)::text from own) as "digestSum",
    (select count(*) from keys where not exists (select from own
       where (keys.external_subscription_id, keys.transaction_id, keys.id)
         = (own.external_subscription_id, own.transaction_id, own.id)))::integer as "keysWithoutEvent",
    (select count(*) from own where not exists (select from keys
       where (keys.external_subscription_id, keys.transaction_id, keys.id)
         = (own.external_subscription_id, own.transaction_id, own.id)))::integer as "eventsWithoutKey",
    (select coalesce(sum(last - positions + events - positions + first - 1), 0) from shards)::integer
      as "positionsMissingOrTwice",
    (select count(*) from heads full join shards using (shard)
     where heads.position is distinct from shards.last)::integer as "headsElsewhere",
    (select count(*) from shards)::integer as shards,
    received::integer, new::integer, duplicate::integer, conflict::integer, rejected::integer
  from counts`;
