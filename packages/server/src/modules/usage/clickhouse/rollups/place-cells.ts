/** Maps cells of a metric to the buckets of each charge on it. */
import { type Decimal, decimal, ZERO } from "@tallystick/core/money";
import { type ChargeReading, type MetricReading, NO_FILTER } from "../../metric-reading.ts";
import type { BucketRow } from "../../rows.ts";
import type { CellRow } from "./store.ts";

type Sums = {
  seen: bigint;
  counted: bigint;
  digest: bigint;
  carried: Decimal;
  added: Decimal;
  largest: Decimal | null;
};

/** `names`: the properties that the dimensions of the cells stand for, in their order. */
export function placeCells(reading: MetricReading, names: readonly string[], cells: readonly CellRow[]): BucketRow[] {
  const { keys, groups } = reading;
  const textsOf = cells.map(({ dimensions }) => new Map(names.map((name, index) => [name, toText(dimensions[index])])));
  return reading.charges.flatMap((charge) => {
    const buckets = new Map<string, Pick<BucketRow, "filter" | "groups"> & { sums: Sums }>();
    for (const [index, cell] of cells.entries()) {
      const textOf = (name: string | undefined): string | null => textsOf[index]?.get(name ?? "") ?? null;
      const filter = filterOf(
        charge,
        keys.map(({ name }) => textOf(name)),
      );
      const place = charge.groups.map(({ group, filters }) =>
        filters.includes(filter) ? textOf(groups[group]) || null : null,
      );
      const key = JSON.stringify([filter, place]);
      const bucket = buckets.get(key) ?? { filter, groups: place, sums: NOTHING };
      buckets.set(key, { ...bucket, sums: plus(bucket.sums, cell) });
    }
    return [...buckets.values()].map((bucket) => toBucketRow(reading, charge.number, bucket));
  });
}

/** A cell writes `=` and the text, or nothing if the property is absent. */
const toText = (dimension: string | undefined): string | null => (dimension ? dimension.slice(1) : null);

/** The first filter that matches, in the order in which core checks them. */
function filterOf({ candidates }: ChargeReading, texts: readonly (string | null)[]): number {
  const taker = candidates.find(({ conditions }) =>
    conditions.every(({ key, values }) => values.includes(texts[key] ?? "") && texts[key] !== null),
  );
  return taker?.filter ?? NO_FILTER;
}

const NOTHING: Sums = { seen: 0n, counted: 0n, digest: 0n, carried: ZERO, added: ZERO, largest: null };

function plus(sums: Sums, cell: CellRow): Sums {
  const total = decimal(cell.total);
  const largest = cell.largest === null ? null : decimal(cell.largest);
  return {
    seen: sums.seen + BigInt(cell.seen),
    counted: sums.counted + BigInt(cell.counted),
    digest: sums.digest + BigInt(cell.digest),
    carried: cell.is_carried ? sums.carried.plus(total) : sums.carried,
    added: cell.is_carried ? sums.added : sums.added.plus(total),
    largest: sums.largest === null || largest?.gt(sums.largest) ? (largest ?? sums.largest) : sums.largest,
  };
}

function toBucketRow(
  { metric }: MetricReading,
  charge: number,
  { filter, groups, sums }: Pick<BucketRow, "filter" | "groups"> & { sums: Sums },
): BucketRow {
  const { type } = metric.aggregation;
  const { seen, counted, digest, carried, added, largest } = sums;
  return {
    charge,
    filter,
    groups,
    seen,
    counted,
    digest: decimal(digest.toString()),
    carried: type === "sum" ? carried : null,
    added: type === "sum" ? added : null,
    removals: null,
    unit_seconds: null,
    value: type === "max" ? largest : null,
  };
}
