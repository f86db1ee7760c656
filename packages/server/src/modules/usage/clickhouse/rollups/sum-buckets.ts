/** Usage from cells: whole hours from them, and only what no cell holds exactly from the events themselves. */
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
  /** Reading fewer events than this costs less than keeping cells of them. */
  readonly worthFrom?: bigint;
};

type OwnedScope = UsageScope & { readonly organizationId: string };

export type Rollups = {
  /**
   * The buckets of those readings whose cells are there, everything up to the cut counted once. The others come back, to be read from
   * events. Whatever lies up to the cut must be in ClickHouse before.
   */
  readonly sumBuckets: (
    scope: OwnedScope & { readonly cut: Cut },
    readings: readonly MetricReading[],
  ) => Promise<{ readonly rows: readonly BucketRow[]; readonly rest: readonly MetricReading[] }>;
  /** Says how many events a reading had to look at. Where they are very many, cells are made for the next one. */
  readonly noteRead: (scope: OwnedScope, reading: MetricReading, seen: bigint) => Promise<void>;
};

/** These are read in a fraction of a second; and there is nothing to keep, to carry with every row, and to derive. */
const WORTH_FROM = 100_000n;
/** More hours than these that hold events beyond the cut, apart from each other: then all events are read. */
const SPANS_MAX = 100;
const REQUESTED_EVERY = Temporal.Duration.from({ hours: 24 });

export function createRollups(deps: RollupDeps): Rollups {
  const { db, clock, metrics, worthFrom = WORTH_FROM } = deps;
  return {
    sumBuckets: async (scope, readings) => {
      // No cell holds the end of a window apart.
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
        askedFor: requestedFor,
      };
      const now = clock.now();
      await inOrganization(db, organizationId, (tx) =>
        insertRequest(tx, request, { id: newId(), now, readyAt: now, countMax: DERIVATIONS_MAX }),
      );
    },
  };
}

/** Asked after everything up to the cut is in: what is live then was sent with all of it. */
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

/** Undefined where cells cannot say it. */
async function readCells(
  clickhouse: Clickhouse,
  scope: UsageScope & CellScope,
  { since }: MetricReading,
): Promise<CellRow[] | undefined> {
  const first = microsecondsOf(since);
  const from = microsecondsOf(scope.window.from);
  // What lies before the window is carried into it.
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

/** Events have whole microseconds, so what is not before an instant is not before the next whole one either. */
const microsecondsOf = (instant: Temporal.Instant): bigint =>
  instant.round({ smallestUnit: "microsecond", roundingMode: "ceil" }).epochNanoseconds / 1000n;

/** The hour that holds it, counted from 1970; also before. */
const hourOf = (microseconds: bigint): bigint => (microseconds - (((microseconds % HOUR) + HOUR) % HOUR)) / HOUR;

const isWhole = (microseconds: bigint): boolean => microseconds % HOUR === 0n;

/** Hours that lie between two marks, one after the other, and hold none of them inside. */
const wholeHours = (marks: readonly bigint[]): Span[] =>
  marks.slice(1).flatMap((to, index): Span[] => {
    const from = marks[index] ?? to;
    const first = isWhole(from) ? hourOf(from) : hourOf(from) + 1n;
    return first < hourOf(to) ? [[first, hourOf(to)]] : [];
  });

const edgeHours = (marks: readonly bigint[]): bigint[] => marks.filter((mark) => !isWhole(mark)).map(hourOf);

/** From hours to instants between the first mark and the last; hours in a row become one span. */
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
