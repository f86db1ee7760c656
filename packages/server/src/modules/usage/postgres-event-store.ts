/** Usage from the events that Postgres keeps, added up there. */
import type { Charge } from "@tallystick/core/catalog";
import { looksAtValues } from "@tallystick/core/rating";
import { dayMarks, isCounted } from "@tallystick/core/usage";
import { type Database, inOrganization, inSnapshot, type Tx } from "../../platform/postgres/database.ts";
import { fromOrder, toOrder } from "./acceptance.ts";
import type { AcceptedEvent, BucketScope, Cut, EventStore, UsageScope } from "./event-store.ts";
import { type FoundUsage, measureBuckets } from "./measure-buckets.ts";
import { type ChargeReading, filterNumber, type MetricReading, readingsOf } from "./metric-reading.ts";
import {
  type AcceptedRow,
  allowLongReads,
  countTurns,
  findAccepted,
  findHeads,
  findLowered,
  findOfBucket,
  findTurns,
  listValues,
  type MetricScope,
  sumBuckets,
} from "./store.ts";

/** A period of many millions of events takes its time; a request waits for it rather than for nothing. */
const STATEMENT_TIMEOUT_MS = 60_000;

export function createPostgresEventStore(db: Database): EventStore {
  // One snapshot: also without a cut all statements see the same events.
  const read = <T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inSnapshot(db, organizationId, async (tx) => {
      await allowLongReads(tx, STATEMENT_TIMEOUT_MS);
      return work(tx);
    });
  return {
    takeCut: (organizationId) =>
      inOrganization(db, organizationId, async (tx) => toCut(await findHeads(tx, organizationId))),
    readUsage: async (organizationId, scope, charges) => {
      // What was found is worked on after the transaction: nothing waits in Postgres for that.
      const found = await read(organizationId, (tx) => findUsage(tx, { ...scope, organizationId }, charges));
      return measureBuckets(found, charges, scope.window);
    },
    wasLowered: (organizationId, scope, charges) =>
      read(organizationId, (tx) => wasLowered(tx, { ...scope, organizationId }, charges)),
    readAccepted: (organizationId, scope, charges) =>
      read(organizationId, (tx) => readAccepted(tx, { ...scope, organizationId }, charges)),
    readEvents: (organizationId, scope) =>
      read(organizationId, (tx) => readBucket(tx, { ...scope, organizationId }, { after: null, size: null })),
    pageOfEvents: (organizationId, scope, page) =>
      read(organizationId, (tx) => readBucket(tx, { ...scope, organizationId }, page)),
  };
}

function toCut(heads: readonly { shard: number; position: bigint }[]): Cut {
  const shards = 1 + Math.max(-1, ...heads.map(({ shard }) => shard));
  return Array.from({ length: shards }, (_, shard) => heads.find((head) => head.shard === shard)?.position ?? 0n);
}

type Owned<Scope> = Scope & { readonly organizationId: string };

/** In a number of statements that depends neither on the number of charges nor on that of events. */
async function findUsage(tx: Tx, scope: Owned<UsageScope>, charges: readonly Charge[]): Promise<FoundUsage> {
  const readings = readingsOf(charges, scope);
  const scopes = readings.map((reading) => ({ ...scope, reading }));
  const rows = await sumBuckets(tx, scopes);
  // Where no value can have gone out of use, each was added once, which the sums know already.
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

/** Prorated units of a unique count weigh the days from turn to turn. */
const hasTurns = ({ metric, isProrated }: Charge): boolean => isProrated && metric.aggregation.type === "unique_count";

/** Of these the worth of single events does not follow from their sums. */
function hasList(charge: Charge): boolean {
  const { type } = charge.metric.aggregation;
  return (type === "sum" && (charge.isProrated || looksAtValues(charge))) || (type === "max" && looksAtValues(charge));
}

/** The metrics with those of their charges that are wanted, if there are any. */
const withCharges = (scopes: readonly MetricScope[], isWanted: (charge: ChargeReading) => boolean): MetricScope[] =>
  scopes
    .map((scope) => ({ ...scope, reading: { ...scope.reading, charges: scope.reading.charges.filter(isWanted) } }))
    .filter(({ reading }) => reading.charges.length > 0);

async function wasLowered(tx: Tx, scope: Owned<UsageScope>, charges: readonly Charge[]): Promise<boolean[]> {
  const scopes = readingsOf(charges, scope).map((reading) => ({ ...scope, reading }));
  const lowered = new Set(
    (await findLowered(tx, scopes)).flatMap(({ metric }) =>
      scopes[metric]?.reading.charges.map(({ number }) => number),
    ),
  );
  return charges.map((_, number) => lowered.has(number));
}

async function readAccepted(tx: Tx, scope: Owned<UsageScope>, charges: readonly Charge[]): Promise<AcceptedEvent[][]> {
  const scopes = readingsOf(charges, scope).map((reading) => ({ ...scope, reading }));
  if (scopes.length === 0) return [];
  const rows = Map.groupBy(await findAccepted(tx, scopes), ({ metric }) => metric);
  const accepted = new Map(
    scopes.flatMap(({ reading }, metric) => {
      const events = (rows.get(metric) ?? []).map((row) => toAccepted(reading, row));
      return reading.charges.map(({ number }) => [number, events]);
    }),
  );
  return charges.map((_, number) => accepted.get(number) ?? []);
}

function toProperties({ names }: MetricReading, texts: readonly (string | null)[]): Record<string, string> {
  const known = names.map((name, index): [string, string | null] => [name, texts[index] ?? null]);
  return Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== null));
}

type Page = Parameters<EventStore["pageOfEvents"]>[2] | { readonly after: null; readonly size: null };

async function readBucket(tx: Tx, scope: Owned<BucketScope>, { after, size }: Page): Promise<AcceptedEvent[]> {
  const { charge, group } = scope;
  const [reading] = readingsOf([charge], scope);
  const [of] = reading?.charges ?? [];
  if (reading === undefined || of === undefined) return [];
  const filter = filterNumber(charge, scope.filter);
  const groups = of.groups.map(({ group: number, filters }) => {
    const name = reading.groups[number] ?? "";
    return filters.includes(filter) && Object.hasOwn(group, name) ? (group[name] ?? null) : null;
  });
  const rows = await findOfBucket(
    tx,
    { ...scope, reading, charge: of },
    { filter, groups, after: after && { at: after.at, ...fromOrder(after.position) }, size },
  );
  return rows.map((row) => toAccepted(reading, row));
}

function toAccepted(reading: MetricReading, row: AcceptedRow): AcceptedEvent {
  const properties = toProperties(reading, row.texts);
  return {
    id: row.id,
    transactionId: row.transaction_id,
    at: row.timestamp,
    receivedAt: row.received_at,
    position: toOrder({ receivedAt: row.received_at, shard: row.shard, position: row.position }),
    properties,
    isCounted: isCounted(reading.metric.aggregation, { properties }),
  };
}
