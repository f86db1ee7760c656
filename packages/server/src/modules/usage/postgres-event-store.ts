/** Usage from the events in Postgres, added up there. */
import type { Charge } from "@tallystick/core/catalog";
import { dayMarks } from "@tallystick/core/usage";
import { type Database, inOrganization, inSnapshot, type Tx } from "../../platform/postgres/database.ts";
import { findHeads } from "../events/index.ts";
import { fromOrder } from "./acceptance.ts";
import type { AcceptedEvent, BucketScope, Cut, EventStore, MeasuredCharge, UsageScope } from "./event-store.ts";
import { LISTED_MAX, refuseLongLists } from "./list-limit.ts";
import { type FoundUsage, measureBuckets } from "./measure-buckets.ts";
import { hasList, hasTurns, type MetricReading, placeOfBucket, readingsOf, withCharges } from "./metric-reading.ts";
import type { AcceptedRow, BucketRow } from "./rows.ts";
import {
  allowLongReads,
  countTurns,
  findAccepted,
  findAcceptedOfMany,
  findLowered,
  findOfBucket,
  findTurns,
  listValues,
  type MetricScope,
  type OfMany,
  readInOrder,
  sumBuckets,
  sumBucketsOfMany,
} from "./store.ts";
import { toAccepted } from "./to-accepted.ts";

/** A period with many millions of events takes long; waiting for it is better than failing. */
const STATEMENT_TIMEOUT_MS = 60_000;

export function createPostgresEventStore(db: Database, { listedMax = LISTED_MAX } = {}): EventStore {
  // One database snapshot: all statements see the same events, even without a `cut`.
  const read: Read = (organizationId, work) =>
    inSnapshot(db, organizationId, async (tx) => {
      await allowLongReads(tx, STATEMENT_TIMEOUT_MS);
      return work(tx);
    });
  return {
    takeCut: (organizationId) =>
      inOrganization(db, organizationId, async (tx) => toCut(await findHeads(tx, organizationId))),
    readUsage: (barrier, organizationId, scope, charges) =>
      barrier.call(readUsages, read, organizationId, { scope, charges, listedMax }),
    wasLowered: (organizationId, scope, charges) =>
      read(organizationId, (tx) => wasLowered(tx, { ...scope, organizationId }, charges)),
    readAccepted: (barrier, organizationId, scope, charges) =>
      barrier.call(readAllAccepted, read, organizationId, { scope, charges }),
    readEvents: (organizationId, scope) =>
      read(organizationId, (tx) => readBucket(tx, { ...scope, organizationId }, { after: null, size: null })),
    pageOfEvents: (organizationId, scope, page) =>
      read(organizationId, async (tx) => {
        await readInOrder(tx);
        return readBucket(tx, { ...scope, organizationId }, page);
      }),
  };
}

function toCut(heads: readonly { shard: number; position: bigint }[]): Cut {
  const shards = 1 + Math.max(-1, ...heads.map(({ shard }) => shard));
  return Array.from({ length: shards }, (_, shard) => heads.find((head) => head.shard === shard)?.position ?? 0n);
}

type Owned<Scope> = Scope & { readonly organizationId: string };

type Read = <T>(organizationId: string, work: (tx: Tx) => Promise<T>) => Promise<T>;
type Requested = { readonly scope: UsageScope; readonly charges: readonly Charge[] };
/** With the readings that it needs. */
type Readable = Requested & { readonly readings: readonly MetricReading[] };
type ReadableUsage = Readable & { readonly listedMax: bigint };

const withReadings = <Of extends Requested>(requested: Of): Of & Readable => ({
  ...requested,
  readings: readingsOf(requested.charges, requested.scope),
});

async function readUsages(
  read: Read,
  organizationId: string,
  all: readonly (Requested & { readonly listedMax: bigint })[],
): Promise<MeasuredCharge[][]> {
  const readable = all.map(withReadings);
  // Rows are processed after the transaction, so that no connection is blocked meanwhile.
  const found = await read(organizationId, async (tx) => {
    const rows = await readAlike(organizationId, readable, {
      // A statement for a single subscription can run in parallel workers.
      ofOne: (scopes) => sumBuckets(tx, scopes),
      ofMany: (ids, scopes) => sumBucketsOfMany(tx, ids, scopes),
    });
    const usages: { requested: Requested; usage: FoundUsage }[] = [];
    for (const requested of readable)
      usages.push({ requested, usage: await findUsage(tx, organizationId, requested, rows.get(requested) ?? []) });
    return usages;
  });
  return found.map(({ requested: { charges, scope }, usage }) => measureBuckets(usage, charges, scope.window));
}

type Statements<Row> = {
  ofOne: (scopes: readonly MetricScope[]) => Promise<Row[]>;
  ofMany: (
    ids: readonly string[],
    scopes: readonly Omit<MetricScope, "externalSubscriptionId">[],
  ) => Promise<OfMany<Row>[]>;
};

/** Subscriptions that differ only in their ids, like those of a plan at the end of a period, are read by one statement. */
async function readAlike<Of extends Readable, Row>(
  organizationId: string,
  all: readonly Of[],
  { ofOne, ofMany }: Statements<Row>,
): Promise<ReadonlyMap<Of, readonly Row[]>> {
  const rows = new Map<Of, readonly Row[]>();
  for (const alike of Map.groupBy(all, readingKeys()).values()) {
    const [first] = alike;
    if (!first) continue;
    const { externalSubscriptionId, ...scope } = first.scope;
    const scopes = first.readings.map((reading) => ({ ...scope, organizationId, reading }));
    if (alike.length === 1) {
      rows.set(first, await ofOne(scopes.map((each) => ({ ...each, externalSubscriptionId }))));
      continue;
    }
    const ids = alike.map((requested) => requested.scope.externalSubscriptionId);
    const bySubscription = Map.groupBy(await ofMany(ids, scopes), ({ subscription }) => subscription);
    for (const [index, requested] of alike.entries()) rows.set(requested, bySubscription.get(index) ?? []);
  }
  return rows;
}

/** Equal for subscriptions that one statement reads: charges of one plan, a window, a snapshot. */
function readingKeys(): (requested: Readable) => string {
  const numbers = new Map<Charge, number>();
  return ({ scope: { window, cut, atEnd }, charges, readings }) => {
    for (const charge of charges) if (!numbers.has(charge)) numbers.set(charge, numbers.size);
    const since = readings.map((reading) => reading.since);
    return JSON.stringify([
      charges.map((charge) => numbers.get(charge)),
      window,
      since,
      cut?.map(String),
      atEnd?.map(String),
    ]);
  };
}

/** The number of statements depends neither on the number of charges nor on that of events. */
async function findUsage(
  tx: Tx,
  organizationId: string,
  requested: ReadableUsage,
  rows: readonly BucketRow[],
): Promise<FoundUsage> {
  const { readings, listedMax } = requested;
  const scope = { ...requested.scope, organizationId };
  const scopes = readings.map((reading) => ({ ...scope, reading }));
  refuseLongLists(readings, rows, listedMax);
  // If no value can have been removed, each was added once, and the sums are enough.
  const walked = new Set(rows.filter(({ removals }) => removals !== null && removals > 0n).map(({ charge }) => charge));
  return {
    readings,
    rows,
    isDigested: scope.cut !== null,
    counts: await countTurns(
      tx,
      withCharges(scopes, ({ number }) => walked.has(number)),
    ),
    turns: await findTurns(
      tx,
      withCharges(scopes, ({ charge }) => hasTurns(charge)),
    ),
    lists: await listValues(
      tx,
      withCharges(scopes, ({ charge }) => hasList(charge)),
      dayMarks(scope.window),
    ),
  };
}

const readAllAccepted = (read: Read, organizationId: string, all: readonly Requested[]): Promise<AcceptedEvent[][][]> =>
  read(organizationId, async (tx) => {
    const readable = all.map(withReadings);
    const rows = await readAlike(organizationId, readable, {
      ofOne: (scopes) => findAccepted(tx, scopes),
      ofMany: (ids, scopes) => findAcceptedOfMany(tx, ids, scopes),
    });
    return readable.map((requested) => toAllAccepted(requested, rows.get(requested) ?? []));
  });

async function wasLowered(tx: Tx, scope: Owned<UsageScope>, charges: readonly Charge[]): Promise<boolean[]> {
  const scopes = readingsOf(charges, scope).map((reading) => ({ ...scope, reading }));
  const lowered = new Set(
    (await findLowered(tx, scopes)).flatMap(({ metric }) =>
      scopes[metric]?.reading.charges.map(({ number }) => number),
    ),
  );
  return charges.map((_, number) => lowered.has(number));
}

function toAllAccepted(
  { readings, charges }: Readable,
  rows: readonly (AcceptedRow & { metric: number })[],
): AcceptedEvent[][] {
  const ofMetric = Map.groupBy(rows, ({ metric }) => metric);
  const accepted = new Map(
    readings.flatMap((reading, metric) => {
      const events = (ofMetric.get(metric) ?? []).map((row) => toAccepted(reading, row));
      return reading.charges.map(({ number }) => [number, events]);
    }),
  );
  return charges.map((_, number) => accepted.get(number) ?? []);
}

type Page = Parameters<EventStore["pageOfEvents"]>[2] | { readonly after: null; readonly size: null };

async function readBucket(tx: Tx, scope: Owned<BucketScope>, { after, size }: Page): Promise<AcceptedEvent[]> {
  const place = placeOfBucket(scope);
  if (place === null) return [];
  const { reading, charge, filter, groups } = place;
  const rows = await findOfBucket(
    tx,
    { ...scope, reading, charge },
    { filter, groups, after: after && { at: after.at, ...fromOrder(after.position) }, size },
  );
  return rows.map((row) => toAccepted(reading, row));
}
