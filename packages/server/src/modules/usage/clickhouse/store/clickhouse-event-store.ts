/** Usage from the copy of the events in ClickHouse. Postgres supplies the snapshots, and answers what ClickHouse cannot add up. */
import type { Charge } from "@tallystick/core/catalog";
import { dayMarks } from "@tallystick/core/usage";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import type { Barrier } from "../../../../platform/postgres/batch.ts";
import { fromOrder } from "../../acceptance.ts";
import type { AcceptedEvent, BucketScope, Cut, EventStore, MeasuredCharge, UsageScope } from "../../event-store.ts";
import { LISTED_MAX, refuseLongLists } from "../../list-limit.ts";

import { type FoundUsage, measureBuckets } from "../../measure-buckets.ts";
import { hasList, hasTurns, type MetricReading, placeOfBucket, readingsOf, withCharges } from "../../metric-reading.ts";
import type { BucketRow } from "../../rows.ts";
import { toAccepted } from "../../to-accepted.ts";
import { type Relay, UsageBehind } from "../relay/index.ts";
import { toAcceptedRow, toBucketRow, toGroups, toTurnRow, toTurnsRow } from "./from-row.ts";
import {
  countTurns,
  findAccepted,
  findLowered,
  findOfBucket,
  findTurns,
  listValues,
  type MetricScope,
  sumBuckets,
} from "./store.ts";
import { isPassing, UsageNotReady } from "./usage-not-ready.ts";

type CutScope = Omit<UsageScope, "cut"> & { readonly organizationId: string; readonly cut: Cut };

/** Precomputed sums. `rows` are of the readings that they could answer; `rest` is read from events. */
type UsageRollups = {
  readonly sumBuckets: (
    scope: CutScope,
    readings: readonly MetricReading[],
  ) => Promise<{ readonly rows: readonly BucketRow[]; readonly rest: readonly MetricReading[] }>;
  /** Records that a metric was read from this many events. */
  readonly noteRead: (scope: CutScope, reading: MetricReading, seen: bigint) => Promise<void>;
};

type ColumnarDeps = {
  readonly clickhouse: Clickhouse;
  /** Takes snapshots, and answers for metrics whose numbers are too long. */
  readonly postgres: EventStore;
  readonly relay: Pick<Relay, "catchUp">;
  readonly rollups?: UsageRollups;
  /** How many events may be read one by one. */
  readonly listedMax?: bigint;
};

/** How long a reader waits for events to be copied: briefly to show usage, and as long as a long statement to bill it. */
const LOOK_MS = 1000;
const BILL_MS = 60_000;

export function createClickhouseEventStore(deps: ColumnarDeps): EventStore {
  const { clickhouse, postgres } = deps;
  return {
    takeCut: postgres.takeCut,
    readUsage: (barrier, organizationId, scope, charges) =>
      read(
        deps,
        { ...scope, organizationId },
        {
          work: (settled) => readUsage({ ...deps, barrier }, settled, charges),
          instead: () => postgres.readUsage(barrier, organizationId, scope, charges),
        },
      ),
    wasLowered: (organizationId, scope, charges) =>
      read(
        deps,
        { ...scope, organizationId },
        {
          work: (settled) => wasLowered(clickhouse, settled, charges),
          instead: () => postgres.wasLowered(organizationId, scope, charges),
        },
      ),
    readAccepted: (barrier, organizationId, scope, charges) =>
      read(
        deps,
        { ...scope, organizationId },
        {
          work: (settled) => readAccepted(clickhouse, settled, charges),
          instead: () => postgres.readAccepted(barrier, organizationId, scope, charges),
        },
      ),
    readEvents: (organizationId, scope) =>
      read(
        deps,
        { ...scope, organizationId },
        {
          work: (settled) => readBucket(clickhouse, settled, { after: null, size: null }),
          instead: () => postgres.readEvents(organizationId, scope),
        },
      ),
    pageOfEvents: (organizationId, scope, page) =>
      read(
        deps,
        { ...scope, organizationId },
        {
          work: (settled) => readBucket(clickhouse, settled, page),
          instead: () => postgres.pageOfEvents(organizationId, scope, page),
        },
      ),
  };
}

type Reading<Scope, Answer> = {
  readonly work: (scope: Settled<Scope>) => Promise<Answer>;
  /** Reads from Postgres instead, during a rebuild of ClickHouse, if the result is not billed. */
  readonly instead: () => Promise<Answer>;
};

/** All statements of a read see one state: that of the snapshot, or else the state that the relay has reached. */
async function read<Scope extends UsageScope & { organizationId: string }, Answer>(
  { relay }: ColumnarDeps,
  scope: Scope,
  { work, instead }: Reading<Scope, Answer>,
): Promise<Answer> {
  const { organizationId, cut } = scope;
  try {
    const reached = await relay.catchUp(organizationId, cut, AbortSignal.timeout(cut === null ? LOOK_MS : BILL_MS));
    return await work({ ...scope, cut: cut ?? reached, isDigested: cut !== null });
  } catch (error) {
    if (cut === null && error instanceof UsageBehind && error.reason === "rebuilding") return instead();
    throw isPassing(error) ? new UsageNotReady(error) : error;
  }
}

type Settled<Scope> = Omit<Scope, "cut"> & {
  readonly organizationId: string;
  readonly cut: Cut;
  /** false: the caller has no snapshot and needs no digests. */
  readonly isDigested: boolean;
};

const scopesOf = (scope: Settled<UsageScope>, readings: readonly MetricReading[]): MetricScope[] =>
  readings.map((reading) => ({ ...scope, reading }));

const numbersOf = (reading: MetricReading | undefined): number[] => reading?.charges.map(({ number }) => number) ?? [];

async function wasLowered(
  clickhouse: Clickhouse,
  scope: Settled<UsageScope>,
  charges: readonly Charge[],
): Promise<boolean[]> {
  const scopes = scopesOf(scope, readingsOf(charges, scope));
  const found = await findLowered(clickhouse, scopes);
  const lowered = new Set(found.flatMap(({ metric }) => numbersOf(scopes[metric]?.reading)));
  return charges.map((_, number) => lowered.has(number));
}

async function readAccepted(
  clickhouse: Clickhouse,
  scope: Settled<UsageScope>,
  charges: readonly Charge[],
): Promise<AcceptedEvent[][]> {
  const scopes = scopesOf(scope, readingsOf(charges, scope));
  const rows = Map.groupBy(await findAccepted(clickhouse, scopes), ({ metric }) => metric);
  const accepted = new Map(
    scopes.flatMap(({ reading }, metric) => {
      const events = (rows.get(metric) ?? []).map((row) => toAccepted(reading, toAcceptedRow(row)));
      return numbersOf(reading).map((number) => [number, events]);
    }),
  );
  return charges.map((_, number) => accepted.get(number) ?? []);
}

async function readUsage(
  deps: ColumnarDeps & { readonly barrier: Barrier },
  scope: Settled<UsageScope>,
  charges: readonly Charge[],
): Promise<MeasuredCharge[]> {
  const { found, unfit } = await findUsage(deps, scope, charges);
  const measured = measureBuckets(found, charges, scope.window);
  if (unfit.size === 0) return measured;
  const numbers = [...unfit];
  const answers = await deps.postgres.readUsage(
    deps.barrier,
    scope.organizationId,
    scope,
    numbers.flatMap((number) => charges[number] ?? []),
  );
  return measured.map((one, number) => {
    const answer = unfit.has(number) ? answers[numbers.indexOf(number)] : undefined;
    return answer === undefined ? one : scope.isDigested ? answer : withoutDigests(answer);
  });
}

const withoutDigests = ({ buckets, eventsSeen }: MeasuredCharge): MeasuredCharge => ({
  buckets: buckets.map((bucket) => ({ ...bucket, digest: null })),
  eventsSeen,
});

/** The number of statements depends neither on the number of charges nor on that of events. */
async function findUsage(
  { clickhouse, rollups, listedMax = LISTED_MAX }: ColumnarDeps,
  scope: Settled<UsageScope>,
  charges: readonly Charge[],
): Promise<{ found: FoundUsage; unfit: ReadonlySet<number> }> {
  const readings = readingsOf(charges, scope);
  const scopes = scopesOf(scope, readings);
  const kept = (await rollups?.sumBuckets(scope, readings)) ?? { rows: [], rest: readings };
  const sums = await sumBuckets(clickhouse, scopesOf(scope, kept.rest));
  const rows = [...kept.rows, ...sums.map((row) => toBucketRow(row, scope.window))];
  refuseLongLists(readings, rows, listedMax);
  // If no value can have been removed, each was added once, and the sums are enough.
  const walked = new Set(rows.filter(({ removals }) => removals !== null && removals > 0n).map(({ charge }) => charge));
  const [counts, turned, listed] = await Promise.all([
    countTurns(
      clickhouse,
      withCharges(scopes, ({ number }) => walked.has(number)),
    ),
    findTurns(
      clickhouse,
      withCharges(scopes, ({ charge }) => hasTurns(charge)),
    ),
    listValues(
      clickhouse,
      withCharges(scopes, ({ charge }) => hasList(charge)),
      dayMarks(scope.window),
    ),
  ]);
  for (const reading of kept.rest) await rollups?.noteRead(scope, reading, seenOf(reading, rows));
  const unfit = new Set(sums.filter(({ events_unfit }) => events_unfit !== "0").map(({ charge }) => charge));
  const found = {
    readings,
    rows: rows.filter(({ charge }) => !unfit.has(charge)),
    counts: counts.map(toTurnsRow),
    turns: turned.map(toTurnRow),
    lists: listed.map(({ groups, ...row }) => ({ ...row, groups: toGroups(groups) })),
    isDigested: scope.isDigested,
  };
  return { found, unfit };
}

/** All charges of a metric see the same events. */
const seenOf = ({ charges: [first] }: MetricReading, rows: readonly BucketRow[]): bigint =>
  rows.filter(({ charge }) => charge === first?.number).reduce((sum, { seen }) => sum + seen, 0n);

type Page = Parameters<EventStore["pageOfEvents"]>[2] | { readonly after: null; readonly size: null };

async function readBucket(
  clickhouse: Clickhouse,
  scope: Settled<BucketScope>,
  { after, size }: Page,
): Promise<AcceptedEvent[]> {
  const place = placeOfBucket(scope);
  if (place === null) return [];
  const { reading, charge, filter, groups } = place;
  const rows = await findOfBucket(
    clickhouse,
    { ...scope, reading, charge },
    { filter, groups, after: after && { at: after.at, ...fromOrder(after.position) }, size },
  );
  return rows.map((row) => toAccepted(reading, toAcceptedRow(row)));
}
