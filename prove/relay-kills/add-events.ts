/** Stores the planned events as ingestion does, a little ahead of the relay, until as many are there are kills to come. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { newId } from "../../packages/server/src/platform/new-id.ts";
import type { Database } from "../../packages/server/src/platform/postgres/database.ts";
import type { Records } from "../worker-kills/work.ts";
import { type Chunk, planChunk } from "./planned-events.ts";

/** So far ahead that there is always something to send, and not so far that one batch follows the other without an end. */
const AHEAD_EVENTS_MAX = 40_000;
const BETWEEN_CHUNKS_MS = 15;
const LOOK_EVERY_MS = 50;

export type Adding = {
  db: Database;
  records: Records;
  seed: number;
  organizationIds: readonly string[];
  /** How many there may be by now. */
  chunksWanted: () => number;
  chunksMax: number;
};

export async function addEvents(adding: Adding, signal: AbortSignal): Promise<void> {
  const { records, seed, chunksWanted: chunksRequested, chunksMax } = adding;
  const { rows } = await records.query("select chunks from prove.campaign");
  for (let chunk: number = rows[0].chunks; chunk < chunksMax; ) {
    signal.throwIfAborted();
    const isFarAhead = (await countAhead(records)) > AHEAD_EVENTS_MAX;
    // A lane that found events twice stands still: what is ahead of it stays so.
    if (isFarAhead && (await hasFoundTwice(records))) return;
    if (isFarAhead || chunk >= chunksRequested()) {
      await pause(LOOK_EVERY_MS, undefined, { signal });
      continue;
    }
    await storeChunk(adding, planChunk(seed, chunk));
    chunk++;
    await records.query("update prove.campaign set chunks = $1", [chunk]);
    await pause(BETWEEN_CHUNKS_MS, undefined, { signal });
  }
}

export async function countAhead(records: Records): Promise<number> {
  const { rows } = await records.query(
    `select (coalesce((select sum(position) from event_heads), 0)
       - coalesce((select sum(position) from relay_cursors cross join unnest(positions) as position), 0))::float8 as ahead`,
  );
  return rows[0].ahead;
}

export async function hasFoundTwice(records: Records): Promise<boolean> {
  const { rows } = await records.query(
    "select exists (select 1 from relay_lanes where last_error like '%twice%') as found",
  );
  return rows[0].found;
}

/** The same chunk again changes nothing: its events are repeats then. */
async function storeChunk({ db, organizationIds }: Adding, chunk: Chunk): Promise<void> {
  const { events, shard, organization, isOfLastMonth } = chunk;
  const now = systemClock.now();
  const received = isOfLastMonth ? now.subtract({ hours: 31 * 24 }) : now;
  await sql`
    select ingest_events(
      ${organizationIds[organization]}, ${shard}, ${received},
      ${events.map(() => 0)}, ${events.map(() => newId())}, ${events.map(({ subscription }) => subscription)},
      ${events.map(({ transaction }) => transaction)}, ${events.map(() => Buffer.alloc(16))},
      ${events.map(({ code }) => code)}, ${events.map(({ micros }) => toInstant(micros))}, ${events.map(() => true)},
      ${events.map(({ digest }) => String(digest))},
      ${events.map(({ amount }) => JSON.stringify({ amount: (amount / 100).toFixed(2), region: "eu" }))}::jsonb[],
      ${events.map(() => null)}::jsonb[]
    )`.execute(db);
}

const toInstant = (micros: bigint): string => Temporal.Instant.fromEpochNanoseconds(micros * 1000n).toString();
