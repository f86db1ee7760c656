/** Computes the buckets of each charge from the rows of the statements. */
import type { Charge } from "@tallystick/core/catalog";
import { type Decimal, decimal, ZERO } from "@tallystick/core/money";
import { looksAtValues } from "@tallystick/core/rating";
import {
  type Bucket,
  type BucketFigures,
  bucketsFrom,
  type Change,
  changesOfTurns,
  daysLeftAfter,
  groupKey,
  type UsageWindow,
} from "@tallystick/core/usage";
import { DIGEST_MODULUS, type MeasuredBucket, type MeasuredCharge } from "./event-store.ts";
import type { ChargeReading, MetricReading } from "./metric-reading.ts";
import type { BucketRow, ListRow, TurnRow, TurnsRow } from "./rows.ts";

/** Everything that was read. */
export type FoundUsage = {
  readonly readings: readonly MetricReading[];
  readonly rows: readonly BucketRow[];
  readonly counts: readonly TurnsRow[];
  readonly turns: readonly TurnRow[];
  readonly lists: readonly ListRow[];
  /** false: without a snapshot there are no digests. */
  readonly isDigested: boolean;
};

type BucketOf = Pick<BucketRow, "charge" | "filter" | "groups">;
type Figures = BucketFigures & { readonly digest: bigint };

export function measureBuckets(found: FoundUsage, charges: readonly Charge[], window: UsageWindow): MeasuredCharge[] {
  const rows = Map.groupBy(found.rows, ({ charge }) => charge);
  const counts = new Map(found.counts.map((row) => [keyOf(row), row]));
  const lists = new Map(found.lists.map((row) => [keyOf(row), row]));
  const turns = Map.groupBy(found.turns, keyOf);
  const measured = new Map(
    found.readings.flatMap((reading) =>
      reading.charges.map((of) => {
        const own = rows.get(of.number) ?? [];
        const figures = own.map((row): Figures => {
          const key = keyOf(row);
          const sums = toSums(row, counts.get(key));
          const list = lists.get(key);
          return {
            ...placeOf(reading, of, row),
            ...sums,
            values: looksAtValues(of.charge) ? toDecimals(list) : null,
            changes: of.charge.isProrated ? changesOf(sums.carried, list, turns.get(key) ?? [], window) : [],
          };
        });
        const buckets = withDigests(bucketsFrom(of.charge, figures, window), found.isDigested ? figures : null);
        return [of.number, { buckets, eventsSeen: own.reduce((sum, { seen }) => sum + seen, 0n) }];
      }),
    ),
  );
  return charges.map((_, number) => measured.get(number) ?? { buckets: [], eventsSeen: 0n });
}

const keyOf = ({ charge, filter, groups }: BucketOf): string => JSON.stringify([charge, filter, groups]);

function placeOf({ groups }: MetricReading, { charge, groups: known }: ChargeReading, row: BucketOf) {
  const group = known.flatMap(({ group, filters }, index): [string, string | null][] =>
    filters.includes(row.filter) ? [[groups[group] ?? "", row.groups[index] ?? null]] : [],
  );
  return { filter: charge.filters[row.filter] ?? null, group: Object.fromEntries(group) };
}

const toSums = (row: BucketRow, counts: TurnsRow | undefined) => ({
  eventsCounted: row.counted,
  eventsIgnored: row.seen - row.counted,
  carried: counts?.carried ?? row.carried ?? ZERO,
  added: counts?.added ?? row.added ?? ZERO,
  removed: counts?.removed ?? ZERO,
  unitSeconds: row.unit_seconds ?? ZERO,
  value: row.value ?? ZERO,
  digest: BigInt((row.digest ?? ZERO).toFixed()) % DIGEST_MODULUS,
});

const toDecimals = (row: ListRow | undefined): Decimal[] => row?.list?.split(" ").map(decimal) ?? [];

/** For a sum: units from before the window count for all its days, later ones for the days that are left. */
function changesOf(
  carried: Decimal,
  list: ListRow | undefined,
  turns: readonly TurnRow[],
  window: UsageWindow,
): readonly Change[] {
  if (turns.length > 0) return changesOfTurns(turns.map(toTurned), window);
  const days = list?.days?.split(" ").map((marks) => daysLeftAfter(Number(marks), window)) ?? [];
  const changes = toDecimals(list).map((units, index) => ({ units, days: days[index] ?? 0 }));
  return carried.eq(ZERO) ? changes : [{ units: carried, days: daysLeftAfter(0, window) }, ...changes];
}

/** They are sorted already, so the index serves as position. */
const toTurned = ({ timestamp, value, turn }: TurnRow, index: number) => ({
  event: { at: timestamp, position: BigInt(index), properties: {} },
  value,
  turn,
});

function withDigests(buckets: readonly Bucket[], figures: readonly Figures[] | null): MeasuredBucket[] {
  if (figures === null) return buckets.map((bucket) => ({ ...bucket, digest: null }));
  const nameOf = ({ filter, group }: Pick<Bucket, "filter" | "group">) => JSON.stringify([filter?.id, groupKey(group)]);
  const digests = new Map(figures.map((figure) => [nameOf(figure), figure.digest]));
  return buckets.map((bucket) => ({ ...bucket, digest: digests.get(nameOf(bucket)) ?? 0n }));
}
