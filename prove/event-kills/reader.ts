/** A reader that follows the positions of every shard while events are stored, as consumers of the service do. */
import { setTimeout as pause } from "node:timers/promises";
import { type Records, readRecords } from "./records.ts";
import { numberOf } from "./sent-events.ts";

const PAGE = 5000;
const LOOK_EVERY_MS = 50;
/** The database is killed now and then: so long a reader goes without it, but not forever. */
const AWAY_MS_MAX = 120_000;
const QUIET_MS = 500;

export type Reader = {
  /** How often the next position was not the one after the last. */
  gaps: () => number;
  /** How often each event was seen. */
  seen: Uint8Array;
  /** Of each shard. */
  last: ReadonlyMap<number, bigint>;
  /** Until nothing new has come for a while after `isOver`. */
  follow: (isOver: () => boolean, signal: AbortSignal) => Promise<void>;
};

/** Begins at the first position: what earlier runs have stored is read again. */
export function createReader(records: Records, events: number): Reader {
  const seen = new Uint8Array(events);
  const last = new Map<number, bigint>();
  let gaps = 0;

  /** The next page of every shard, in one statement. */
  async function readOn(): Promise<number> {
    const rows = await readRecords<Row>(records, PAGES, [...last.keys()], [...last.values()], PAGE);
    for (const { shard, position, external_subscription_id, transaction_id } of rows) {
      if (position !== (last.get(shard) ?? 0n) + 1n) gaps++;
      last.set(shard, position);
      const number = numberOf(external_subscription_id, transaction_id);
      seen[number] = (seen[number] ?? 0) + 1;
    }
    return rows.length;
  }

  async function follow(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    let answeredAt = performance.now();
    let newsAt = performance.now();
    while (!isOver() || performance.now() - newsAt < QUIET_MS) {
      try {
        const count = await readOn();
        answeredAt = performance.now();
        if (count > 0 || !isOver()) newsAt = answeredAt;
      } catch (error) {
        newsAt = performance.now();
        if (newsAt - answeredAt > AWAY_MS_MAX) throw error;
      }
      await pause(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  return { gaps: () => gaps, seen, last, follow };
}

type Row = { shard: number; position: bigint; external_subscription_id: string; transaction_id: string };

/** Materialized: under row level security a `coalesce` in the condition is no condition of the index, and all would be read. */
const PAGES = `
  with heads as materialized (
    select shard, coalesce(read.position, 0) as position
    from event_heads
    left join unnest($2::smallint[], $3::bigint[]) as read (shard, position) using (shard)
    where organization_id = $1
  )
  select heads.shard, event.position, event.external_subscription_id, event.transaction_id
  from heads
  cross join lateral (
    select position, external_subscription_id, transaction_id from events
    where organization_id = $1 and shard = heads.shard and position > heads.position
    order by position limit $4
  ) as event
  order by heads.shard, event.position`;
