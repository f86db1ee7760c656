/** Reports faulty events of an hour to their organization, in one message, if there are any. */
import type { EventFault } from "@tallystick/core/invoicing";
import { publish } from "../../../jobs/outbox.ts";
import type { JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { allowLongStatements, type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { type StatusEvent, toStatusEvent } from "../ingest/index.ts";
import { findRanges, findSuspects, type Hour, insertCheck, type Range } from "./store.ts";

export const CHECK_JOB = "check_events";

/** A message names this many events of each list: enough to find the mistake. */
const LISTED_MAX = 1000;

/** The first check of an organization has no starting position and reads the whole month. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Positions that one statement reads. */
const PAGE = 20_000n;

/** Events that are checked at once. */
const BATCH = 500;

/** Transaction ids, each once. */
type Faults = Readonly<Record<EventFault, Set<string>>>;

type Deps = {
  db: Database;
  clock: Clock;
  /** The faults of events, in their order. */
  loadFaults: (tx: Tx, organizationId: string, events: readonly StatusEvent[]) => Promise<EventFault[][]>;
};

export const eventCheckJobs = (deps: Deps): Record<string, JobHandler> => ({
  [CHECK_JOB]: (organizationId, payload) => {
    const from = Temporal.Instant.from((payload as { hour: string }).hour);
    const hour = { from, to: from.add({ hours: 1 }) };
    return inOrganization(deps.db, organizationId, (tx) => checkHour(tx, organizationId, hour, deps));
  },
});

/** An hour is checked once: a second check finds its row and does nothing. */
async function checkHour(tx: Tx, organizationId: string, hour: Hour, deps: Deps): Promise<void> {
  await allowLongStatements(tx, STATEMENT_TIMEOUT_MS);
  const ranges = await findRanges(tx, organizationId, hour);
  const check = { id: newId(), hour: hour.from, checkedAt: deps.clock.now(), nextPositions: nextPositions(ranges) };
  if (!(await insertCheck(tx, organizationId, check))) return;
  const faults = await collectFaults(tx, organizationId, hour, { ranges, loadFaults: deps.loadFaults });
  if (Object.values(faults).every(({ size }) => size === 0)) return;
  const change = {
    webhookType: "events.errors",
    objectType: "events_errors",
    objectId: check.id,
    object: Object.fromEntries(Object.entries(faults).map(([name, ids]) => [name, [...ids]])),
    once: true,
  };
  await publish(alone(tx), organizationId, change, check.checkedAt);
}

/** By shard; 1 for a shard without events. */
function nextPositions(ranges: readonly Range[]): bigint[] {
  const shards = 1 + Math.max(-1, ...ranges.map(({ shard }) => shard));
  return Array.from({ length: shards }, (_, shard) => ranges.find((range) => range.shard === shard)?.next ?? 1n);
}

async function collectFaults(
  tx: Tx,
  organizationId: string,
  hour: Hour,
  { ranges, loadFaults }: Pick<Deps, "loadFaults"> & { ranges: readonly Range[] },
): Promise<Faults> {
  const faults: Faults = {
    invalid_code: new Set(),
    missing_aggregation_property: new Set(),
    missing_group_key: new Set(),
  };
  for (const { shard, first, end } of ranges) {
    for (let from = first; from < end; ) {
      const to = from + PAGE < end ? from + PAGE : end;
      const last = await collectPage(tx, organizationId, hour, { faults, loadFaults, page: { shard, from, to } });
      from = last === null ? to : last + 1n;
    }
  }
  return faults;
}

type Collected = Pick<Deps, "loadFaults"> & { faults: Faults; page: { shard: number; from: bigint; to: bigint } };

/** Returns the position that it reached; null: the end of the page. */
async function collectPage(
  tx: Tx,
  organizationId: string,
  hour: Hour,
  { faults, loadFaults, page }: Collected,
): Promise<bigint | null> {
  const suspects = await findSuspects(tx, organizationId, hour, {
    ...page,
    limit: BATCH,
    wantsCode: faults.invalid_code.size < LISTED_MAX,
    wantsProperty: faults.missing_aggregation_property.size < LISTED_MAX,
    wantsKey: faults.missing_group_key.size < LISTED_MAX,
  });
  const judged = await loadFaults(tx, organizationId, suspects.map(toStatusEvent));
  suspects.forEach(({ transaction_id }, number) => {
    for (const fault of judged[number] ?? []) if (faults[fault].size < LISTED_MAX) faults[fault].add(transaction_id);
  });
  return suspects.length < BATCH ? null : (suspects.at(-1)?.position ?? null);
}
