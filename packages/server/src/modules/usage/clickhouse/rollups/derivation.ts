/** What is added up by hour of a metric's events, and which readings find all that they ask for in it. */
import type { Metric } from "@tallystick/core/catalog";

import { hasList, type MetricReading } from "../../metric-reading.ts";

/** Its cells hold sums over `field` for every combination of the properties in `names`. */
export type Derivation = {
  readonly organizationId: string;
  readonly id: string;
  readonly code: string;
  /** "" where events are counted. */
  readonly field: string;
  /** In order, each once. */
  readonly names: readonly string[];
};

/** Of one field of a metric: plans that tell events apart by other properties each want their own. */
export const DERIVATIONS_MAX = 4;

/** More properties than these multiply to more cells than there are events. */
const NAMES_MAX = 8;

const ADDED_UP: ReadonlySet<string> = new Set(["count", "sum", "max"]);

/** The others look at single events, or at their order, which no sum has. */
const canBeAddedUp = ({ metric }: MetricReading): boolean => ADDED_UP.has(metric.aggregation.type);

/** Whether cells would save reading all events. Where every price looks at single values, they are read whatever the cells hold. */
export const gainsFromCells = (reading: MetricReading): boolean =>
  canBeAddedUp(reading) &&
  namesOf(reading).length <= NAMES_MAX &&
  reading.charges.some(({ charge }) => !hasList(charge));

export const fieldOf = ({ aggregation }: Metric): string => ("field" in aggregation ? aggregation.field : "");

/** What filters and groups tell the events of a metric apart by. */
export const namesOf = ({ keys, groups }: MetricReading): string[] =>
  [...new Set([...keys.map(({ name }) => name), ...groups])].sort();

/** Of those that know all that the reading asks for the one with the fewest cells. */
export function coveringOne(derivations: readonly Derivation[], reading: MetricReading): Derivation | undefined {
  if (!canBeAddedUp(reading)) return undefined;
  const { metric } = reading;
  const requested = namesOf(reading);
  return derivations
    .filter(({ code, field }) => code === metric.code && field === fieldOf(metric))
    .filter(({ names }) => requested.every((name) => names.includes(name)))
    .toSorted((one, other) => one.names.length - other.names.length)[0];
}
