/** Which filter of a charge takes an event. */
import { ALL_FILTER_VALUES, type Charge, type ChargeFilter, type MetricFilter } from "../catalog/index.ts";
import { propertyOf, type UsageEvent } from "./event.ts";

/** The keys of a filter that its metric knows, and their allowed values. */
type Dimensions = readonly (readonly [key: string, values: readonly string[]])[];
export type FilterCandidate = { readonly filter: ChargeFilter; readonly dimensions: Dimensions };

/**
 * The filter that takes an event, null for none. Of the matching filters it is the one with most keys, then with fewest combinations of
 * values, then the oldest. A filter without a key that the metric knows takes nothing.
 */
export function filterFor(charge: Charge, event: UsageEvent): ChargeFilter | null {
  return filterFinder(charge)(event);
}

/** The same for many events: the order of the filters is computed once. */
export function filterFinder(charge: Charge): (event: UsageEvent) => ChargeFilter | null {
  const candidates = filterCandidates(charge);
  return (event) => candidates.find(({ dimensions }) => matches(dimensions, event))?.filter ?? null;
}

/** The filters that can take an event, in order: the first that matches takes it. */
export function filterCandidates(charge: Charge): FilterCandidate[] {
  return charge.filters
    .map((filter): FilterCandidate => ({ filter, dimensions: dimensionsOf(charge, filter) }))
    .filter(({ dimensions }) => dimensions.length > 0)
    .toSorted((one, other) => byPrecedence(one.dimensions, other.dimensions));
}

function dimensionsOf({ metric }: Charge, filter: ChargeFilter): Dimensions {
  const allowed = new Map(metric.filters.map(({ key, values }) => [key, values]));
  return Object.entries(filter.values).flatMap(([key, values]) => {
    const all = allowed.get(key);
    if (all === undefined) return [];
    return [[key, values.length === 1 && values[0] === ALL_FILTER_VALUES ? all : values]];
  });
}

/** Sorting keeps the older of two equals first. */
function byPrecedence(one: Dimensions, other: Dimensions): number {
  return other.length - one.length || Number(breadthOf(one) - breadthOf(other));
}

const breadthOf = (dimensions: Dimensions): bigint =>
  dimensions.reduce((product, [, values]) => product * BigInt(values.length), 1n);

const matches = (dimensions: Dimensions, event: UsageEvent): boolean =>
  dimensions.every(([key, values]) => {
    const text = propertyOf(event, key);
    return text !== undefined && values.includes(text);
  });

/** Whether a filter key of its metric is missing, or has a value that the metric does not define. */
export const lacksDimension = (filters: readonly MetricFilter[], event: Pick<UsageEvent, "properties">): boolean =>
  filters.some(({ key, values }) => {
    const text = propertyOf(event, key);
    return text === undefined || !values.includes(text);
  });
