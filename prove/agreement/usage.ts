/** Aggregations and filters. */
import type { Aggregation, Charge, ChargeFilter } from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";
import { aggregate, filterFor, proratedUnits, type UsageEvent } from "@tallystick/core/usage";
import type { AggregateCase } from "@tallystick/second-opinion/aggregate";
import type { FilterCase } from "@tallystick/second-opinion/filter";
import { AGGREGATIONS, cases } from "../oracle/cases.ts";
import { oracleAggregate, oracleFilter } from "../oracle/index.ts";
import { type Comparison, comparison, rationalOf } from "./comparison.ts";

export const USAGE_COMPARISONS: readonly Comparison[] = [
  ...AGGREGATIONS.map((kind) =>
    comparison(
      `aggregate ${kind.recurring ? "recurring " : ""}${kind.type}`,
      cases.aggregateOf(kind),
      aggregateByCore,
      ({ ...given }) => {
        const { units, eventsCount, prorated } = oracleAggregate(given);
        return { units, eventsCount: BigInt(eventsCount), prorated };
      },
    ),
  ),
  comparison("filter", cases.filter, filterByCore, oracleFilter),
];

function aggregateByCore({ events, ...given }: AggregateCase) {
  const window = {
    from: Temporal.Instant.from(given.from),
    to: Temporal.Instant.from(given.to),
    timeZone: given.timeZone,
    firstDay: Temporal.PlainDate.from(given.firstDay),
    lastDay: Temporal.PlainDate.from(given.lastDay),
    periodDays: given.periodDays,
  };
  const quantity = aggregate(aggregationOf(given), events.map(eventOf), window);
  const isWeighed = given.recurring && given.type !== "weighted_sum";
  return {
    units: rationalOf(quantity.units),
    eventsCount: quantity.eventsCount,
    prorated: rationalOf(isWeighed ? proratedUnits(quantity, window) : quantity.units),
  };
}

function aggregationOf({ type, recurring }: Pick<AggregateCase, "type" | "recurring">): Aggregation {
  if (type === "count") return { type };
  if (type === "max" || type === "latest") return { type, field: "value" };
  return { type, field: "value", isRecurring: recurring };
}

const eventOf = ({ at, position, value, operation }: AggregateCase["events"][number]): UsageEvent => ({
  at: Temporal.Instant.from(at),
  position: BigInt(position),
  properties: {
    ...(value === undefined ? {} : { value }),
    ...(operation === undefined ? {} : { operation_type: operation }),
  },
});

const free = { pricing: { model: "standard" as const, amount: decimal("0") }, groupedBy: [] };

function filterByCore({ metricFilters, chargeFilters, properties }: FilterCase): number | null {
  const filters: ChargeFilter[] = chargeFilters.map(({ values }, index) => ({
    id: String(index),
    values,
    price: free,
  }));
  const charge: Charge = {
    id: "charge",
    metric: { code: "metric", aggregation: { type: "count" }, filters: metricFilters },
    price: free,
    filters,
    timing: { type: "arrears", minAmountMinor: minor(0n) },
    isProrated: false,
  };
  const event = { at: Temporal.Instant.fromEpochMilliseconds(0), position: 1n, properties };
  const taken = filterFor(charge, event);
  return taken === null ? null : Number(taken.id);
}
