/** Hourly sums of a metric's events, and which readings they can answer. */
import type { Metric } from "@tallystick/core/catalog";

import { hasList, type MetricReading } from "../../metric-reading.ts";

/** Its cells have sums over `field` for every combination of the properties in `names`. */
export type Derivation = {
  readonly organizationId: string;
  readonly id: string;
  readonly code: string;
  /** "" if events are counted. */
  readonly field: string;
  /** Sorted, each once. */
  readonly names: readonly string[];
};

/** Per field of a metric: plans that distinguish events by other properties each need a derivation. */
export const DERIVATIONS_MAX = 4;

/** More properties than this lead to more cells than events. */
const NAMES_MAX = 8;

const ADDED_UP: ReadonlySet<string> = new Set(["count", "sum", "max"]);

/** The other aggregations need single events, or their order, which a sum does not have. */
const canBeAddedUp = ({ metric }: MetricReading): boolean => ADDED_UP.has(metric.aggregation.type);

/** Whether cells would save reading all events. If every price needs single values, the events are read anyway. */
export const gainsFromCells = (reading: MetricReading): boolean =>
  canBeAddedUp(reading) &&
  namesOf(reading).length <= NAMES_MAX &&
  reading.charges.some(({ charge }) => !hasList(charge));

export const fieldOf = ({ aggregation }: Metric): string => ("field" in aggregation ? aggregation.field : "");

/** The properties by which filters and groups distinguish the events of a metric. */
export const namesOf = ({ keys, groups }: MetricReading): string[] =>
  [...new Set([...keys.map(({ name }) => name), ...groups])].sort();

/** Of the derivations that can answer the reading, the one with the fewest cells. */
export function coveringOne(derivations: readonly Derivation[], reading: MetricReading): Derivation | undefined {
  if (!canBeAddedUp(reading)) return undefined;
  const { metric } = reading;
  const requested = namesOf(reading);
  return derivations
    .filter(({ code, field }) => code === metric.code && field === fieldOf(metric))
    .filter(({ names }) => requested.every((name) => names.includes(name)))
    .toSorted((one, other) => one.names.length - other.names.length)[0];
}
