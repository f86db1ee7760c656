/** What must be read from the events of a metric so that every charge on it gets its buckets: each property once. */
import { type Charge, type ChargeFilter, isRecurring, type Metric } from "@tallystick/core/catalog";
import { looksAtValues } from "@tallystick/core/rating";
import { filterCandidates } from "@tallystick/core/usage";
import type { BucketScope, UsageScope } from "./event-store.ts";

/** The number of the bucket of events that match no filter; other buckets have the index of their filter in the charge. */
export const NO_FILTER = -1;

export type MetricReading = {
  readonly metric: Metric;
  /** Events before it are not read. */
  readonly since: Temporal.Instant;
  /** Properties that filters use, with all values that any filter names: events with other values are equivalent. */
  readonly keys: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Properties that events are grouped by. */
  readonly groups: readonly string[];
  /** All properties that any charge uses. */
  readonly names: readonly string[];
  readonly charges: readonly ChargeReading[];
};

export type ChargeReading = {
  /** Index of the charge in the request. */
  readonly number: number;
  readonly charge: Charge;
  /** An event belongs to the first one whose conditions all hold. `key` is an index of the metric's keys. */
  readonly candidates: readonly {
    readonly filter: number;
    readonly conditions: readonly { readonly key: number; readonly values: readonly string[] }[];
  }[];
  /** The groups that only some of its filters have: `group` is an index of the metric's groups. */
  readonly groups: readonly { readonly group: number; readonly filters: readonly number[] }[];
};

/** The metrics of the charges, each once. */
export function readingsOf(
  charges: readonly Charge[],
  { window, historyFrom }: Pick<UsageScope, "window" | "historyFrom">,
): MetricReading[] {
  const numbered = charges.map((charge, number) => ({ charge, number }));
  const byMetric = Map.groupBy(numbered, ({ charge: { metric } }) => JSON.stringify([metric.code, metric.aggregation]));
  return [...byMetric.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { metric } = first.charge;
    const keys = keysOf(members.map(({ charge }) => charge));
    const groups = [...new Set(members.flatMap(({ charge }) => pricesOf(charge).flatMap(([, names]) => names)))];
    const since = isRecurring(metric.aggregation) ? historyFrom : window.from;
    const names = [...new Set([...fieldsOf(metric), ...keys.map(({ name }) => name), ...groups])];
    const read = members.map((member) => chargeReading(member, keys, groups));
    return [{ metric, since, keys, groups, names, charges: read }];
  });
}

function fieldsOf({ aggregation }: Metric): string[] {
  if (aggregation.type === "count") return [];
  return aggregation.type === "unique_count" ? [aggregation.field, "operation_type"] : [aggregation.field];
}

function keysOf(charges: readonly Charge[]): MetricReading["keys"] {
  const values = new Map<string, Set<string>>();
  for (const { dimensions } of charges.flatMap(filterCandidates)) {
    for (const [name, requested] of dimensions) {
      const known = values.get(name) ?? new Set();
      values.set(name, known.union(new Set(requested)));
    }
  }
  return [...values].map(([name, target]) => ({ name, values: [...target] }));
}

function chargeReading(
  { charge, number }: Pick<ChargeReading, "charge" | "number">,
  keys: MetricReading["keys"],
  groups: readonly string[],
): ChargeReading {
  const prices = pricesOf(charge);
  return {
    charge,
    number,
    candidates: filterCandidates(charge).map(({ filter, dimensions }) => ({
      filter: filterNumber(charge, filter),
      conditions: dimensions.map(([name, values]) => ({ key: keys.findIndex((key) => key.name === name), values })),
    })),
    groups: groups.flatMap((name, group) => {
      const filters = prices.filter(([, names]) => names.includes(name)).map(([filter]) => filter);
      return filters.length > 0 ? [{ group, filters }] : [];
    }),
  };
}

/** The properties by which the events of each filter, and of none, are grouped. */
const pricesOf = ({ filters, price }: Charge): (readonly [filter: number, groupedBy: readonly string[]])[] => [
  [NO_FILTER, price.groupedBy],
  ...filters.map((filter, number) => [number, filter.price.groupedBy] as const),
];

const filterNumber = ({ filters }: Charge, filter: ChargeFilter | null): number =>
  filter === null ? NO_FILTER : filters.findIndex(({ id }) => id === filter.id);

/** The metrics that have one of the selected charges, with only those charges. */
export const withCharges = <Scope extends { readonly reading: MetricReading }>(
  scopes: readonly Scope[],
  isRequested: (charge: ChargeReading) => boolean,
): Scope[] =>
  scopes
    .map((scope) => ({ ...scope, reading: { ...scope.reading, charges: scope.reading.charges.filter(isRequested) } }))
    .filter(({ reading }) => reading.charges.length > 0);

/** Prorated units of a unique count depend on the days between additions and removals. */
export const hasTurns = ({ metric, isProrated }: Charge): boolean =>
  isProrated && metric.aggregation.type === "unique_count";

/** Prices for which the values of single events do not follow from their sums. */
export function hasList(charge: Charge): boolean {
  const { type } = charge.metric.aggregation;
  return (type === "sum" && (charge.isProrated || looksAtValues(charge))) || (type === "max" && looksAtValues(charge));
}

/** The bucket of events. */
export type BucketPlace = {
  readonly reading: MetricReading;
  readonly charge: ChargeReading;
  readonly filter: number;
  /** For each group of the charge, in its order; null also if this filter is not grouped by it. */
  readonly groups: readonly (string | null)[];
};

export function placeOfBucket(scope: Omit<BucketScope, "cut">): BucketPlace | null {
  const { charge, group } = scope;
  const [reading] = readingsOf([charge], scope);
  const [of] = reading?.charges ?? [];
  if (reading === undefined || of === undefined) return null;
  const filter = filterNumber(charge, scope.filter);
  const groups = of.groups.map(({ group: number, filters }) => {
    const name = reading.groups[number] ?? "";
    return filters.includes(filter) && Object.hasOwn(group, name) ? (group[name] ?? null) : null;
  });
  return { reading, charge: of, filter, groups };
}
