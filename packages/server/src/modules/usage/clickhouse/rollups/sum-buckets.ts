/** Usage from cells: whole hours come from cells, and only the rest is read from the events themselves. */
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import type { Clock } from "../../../../platform/clock.ts";
import { newId } from "../../../../platform/new-id.ts";
import { type Database, inOrganization } from "../../../../platform/postgres/database.ts";
import type { Metrics } from "../../../../platform/telemetry/metrics.ts";
import type { Cut, UsageScope } from "../../event-store.ts";
import type { MetricReading } from "../../metric-reading.ts";
import type { BucketRow } from "../../rows.ts";
import { coveringOne, DERIVATIONS_MAX, type Derivation, fieldOf, gainsFromCells, namesOf } from "./derivation.ts";
import { placeCells } from "./place-cells.ts";
import {
  type CellRow,
  type CellScope,
  type DerivationRow,
  findLive,
  fromRow,
  insertRequest,
  noteRequested,
  type Span,
  sumCells,
  sumEvents,
} from "./store.ts";

export type RollupDeps = {
  readonly db: Database;
  readonly clickhouse: Clickhouse;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Reading fewer events than this costs less than keeping cells for them. */
  readonly worthFrom?: bigint;
};

type OwnedScope = UsageScope & { readonly organizationId: string };

export type Rollups = {
  /**
   * The buckets of the readings that have cells, with every event up to the snapshot counted once. The other readings are returned, to be
   * read from events. Everything up to the snapshot must be in ClickHouse before.
   */
  readonly sumBuckets: (
    scope: OwnedScope & { readonly cut: Cut },
    readings: readonly MetricReading[],
  ) => Promise<{ readonly rows: readonly BucketRow[]; readonly rest: readonly MetricReading[] }>;
  /** Records how many events a reading had to read. If there are very many, cells are built for the next one. */
  readonly noteRead: (scope: OwnedScope, reading: MetricReading, seen: bigint) => Promise<void>;
};

/** So few events are read in a fraction of a second, and need no cells to build, store and update. */
const WORTH_FROM = 100_000n;
/** If more separate hours than this have events beyond the snapshot, all events are read. */
const SPANS_MAX = 100;
const REQUESTED_EVERY = Temporal.Duration.from({ hours: 24 });

export function createRollups(deps: RollupDeps): Rollups {
  const { db, clock, metrics, worthFrom = WORTH_FROM } = deps;
  return {
    sumBuckets: async (scope, readings) => {
      // Cells do not keep the exact end of a window separately.
      if (scope.atEnd) return { rows: [], rest: readings };
      const derivations = await findDerivations(deps, scope.organizationId, readings);
      const found = await Promise.all(
        readings.map(async (reading) => {
          const derivation = coveringOne(derivations, reading);
          const cells = derivation && (await readCells(deps.clickhouse, { ...scope, derivation }, reading));
          metrics.usageReadings.inc({ source: cells ? "cells" : "events" });
          return { reading, rows: derivation && cells && placeCells(reading, derivation.names, cells) };
        }),
      );
      return {
        rows: found.flatMap(({ rows }) => rows ?? []),
        rest: found.filter(({ rows }) => rows === undefined).map(({ reading }) => reading),
      };
    },
    noteRead: async ({ organizationId, externalSubscriptionId: requestedFor }, reading, seen) => {
      if (seen < worthFrom || !gainsFromCells(reading)) return;
      const { metric } = reading;
      const request = {
        organizationId,
        code: metric.code,
        field: fieldOf(metric),
        names: namesOf(reading),
        requestedFor,
      };
      const now = clock.now();
      await inOrganization(db, organizationId, (tx) =>
        insertRequest(tx, request, { id: newId(), now, readyAt: now, countMax: DERIVATIONS_MAX }),
      );
    },
  };
}

/** Called after everything up to the snapshot is copied: a derivation that is live then includes all of it. */
async function findDerivations(
  { db, clock }: RollupDeps,
  organizationId: string,
  readings: readonly MetricReading[],
): Promise<Derivation[]> {
  const codes = readings.map(({ metric }) => metric.code);
  if (codes.length === 0) return [];
  return inOrganization(db, organizationId, async (tx) => {
    const rows = await findLive(tx, organizationId, codes);
    const now = clock.now();
    const isOld = ({ asked_at }: DerivationRow) => Temporal.Instant.compare(asked_at.add(REQUESTED_EVERY), now) < 0;
    const old = rows.filter(isOld).map(({ id }) => id);
    if (old.length > 0) await noteRequested(tx, organizationId, old, now);
    return rows.map(fromRow);
  });
}

/** Undefined if cells cannot answer it. */
async function readCells(
  clickhouse: Clickhouse,
  scope: UsageScope & CellScope,
  { since }: MetricReading,
): Promise<CellRow[] | undefined> {
  const first = microsecondsOf(since);
  const from = microsecondsOf(scope.window.from);
  // Events before the window are carried into it.
  const start = from > first ? from : first;
  const marks = [first, start, microsecondsOf(scope.window.to)];
  const cells = await sumCells(clickhouse, scope, { hours: wholeHours(marks), firstHour: hourOf(start) });
  const lateHours = cells.flatMap(({ late_hour }) => (late_hour === null ? [] : [BigInt(late_hour)]));
  const instants = toInstants([...edgeHours(marks), ...lateHours], marks);
  if (instants.length > SPANS_MAX) return undefined;
  const events = instants.length === 0 ? [] : await sumEvents(clickhouse, scope, { instants, start });
  const rows = [...cells.filter(({ late_hour }) => late_hour === null), ...events];
  return rows.every(({ unfit }) => unfit === "0") ? rows : undefined;
}

const HOUR = 3_600_000_000n;

/** Events have whole microseconds, so an instant can be rounded up to the next microsecond. */
const microsecondsOf = (instant: Temporal.Instant): bigint =>
  instant.round({ smallestUnit: "microsecond", roundingMode: "ceil" }).epochNanoseconds / 1000n;

/** The hour of an instant, counted from 1970, also for earlier instants. */
const hourOf = (microseconds: bigint): bigint => (microseconds - (((microseconds % HOUR) + HOUR) % HOUR)) / HOUR;

const isWhole = (microseconds: bigint): boolean => microseconds % HOUR === 0n;

/** The whole hours between each two consecutive marks. */
const wholeHours = (marks: readonly bigint[]): Span[] =>
  marks.slice(1).flatMap((to, index): Span[] => {
    const from = marks[index] ?? to;
    const first = isWhole(from) ? hourOf(from) : hourOf(from) + 1n;
    return first < hourOf(to) ? [[first, hourOf(to)]] : [];
  });

const edgeHours = (marks: readonly bigint[]): bigint[] => marks.filter((mark) => !isWhole(mark)).map(hourOf);

/** Converts hours to instants between the first and the last mark; consecutive hours become one span. */
function toInstants(hours: readonly bigint[], marks: readonly bigint[]): Span[] {
  const [first = 0n] = marks;
  const last = marks.at(-1) ?? first;
  const spans: [bigint, bigint][] = [];
  for (const hour of [...new Set(hours)].sort((one, other) => (one < other ? -1 : 1))) {
    const from = hour * HOUR < first ? first : hour * HOUR;
    const to = (hour + 1n) * HOUR > last ? last : (hour + 1n) * HOUR;
    const before = spans.at(-1);
    if (before?.[1] === from) before[1] = to;
    else if (from < to) spans.push([from, to]);
  }
  return spans;
}
