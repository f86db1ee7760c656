/** Stores the planned events as ingestion does, a little ahead of the relay, until as many are there as there are kills to come. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { systemClock } from "../../../packages/server/src/platform/clock.ts";
import { newId } from "../../../packages/server/src/platform/new-id.ts";
import type { Database } from "../../../packages/server/src/platform/postgres/database.ts";
import { countRow } from "../../invoice-checks.ts";
import type { Records } from "../records.ts";
import { type Chunk, planChunk } from "./planned-events.ts";

/** So far ahead that there is always something to send, and not so far that one batch follows the other without an end. */
const AHEAD_EVENTS_MAX = 40_000;
const BETWEEN_CHUNKS_MS = 15;
const LOOK_EVERY_MS = 50;

export type Adding = { db: Database; records: Records; seed: number; organizationIds: readonly string[] };

/** `chunksByNow`: how many there may be, a little ahead of the kills. */
type Limits = { chunksByNow: () => number; chunksMax: number };

export async function addEvents(adding: Adding, limits: Limits, signal: AbortSignal): Promise<void> {
  const { records, seed } = adding;
  const { made = 0 } = await countRow(records, "select made from prove.campaign");
  for (let chunk = made; chunk < limits.chunksMax; ) {
    signal.throwIfAborted();
    const isFarAhead = (await countAhead(records)) > AHEAD_EVENTS_MAX;
    // A queue that found events twice stands still: what is ahead of it stays so.
    if (isFarAhead && (await hasFoundTwice(records))) return;
    if (isFarAhead || chunk >= limits.chunksByNow()) {
      await pause(LOOK_EVERY_MS, undefined, { signal });
      continue;
    }
    await storeChunk(adding, planChunk(seed, chunk));
    chunk++;
    await records.query("update prove.campaign set made = $1", [chunk]);
    await pause(BETWEEN_CHUNKS_MS, undefined, { signal });
  }
}

export async function countAhead(records: Records): Promise<number> {
  const { ahead = 0 } = await countRow(
    records,
    `select coalesce((select sum(position) from event_heads), 0)
       - coalesce((select sum(position) from relay_cursors cross join unnest(positions) as position), 0) as ahead`,
  );
  return ahead;
}

export async function hasFoundTwice(records: Records): Promise<boolean> {
  const { queues = 0 } = await countRow(
    records,
    "select count(*) as queues from relay_lanes where last_error like '%duplicate%'",
  );
  return queues > 0;
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
