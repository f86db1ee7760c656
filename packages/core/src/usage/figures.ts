/** The buckets of a store that aggregates itself: it provides the figures, and everything else follows as in `splitUsage`. */
import type { Aggregation, Charge, ChargeFilter } from "../catalog/index.ts";
import { type Decimal, exactText, ZERO } from "../money/index.ts";
import { alone, firstLargest, ONE } from "./aggregate.ts";
import { type Basis, closingFrom, derivationOf, unitsFrom } from "./derivation.ts";
import { type Group, groupKey, groupOf, inOrder } from "./group.ts";
import type { Change, Quantity } from "./quantity.ts";
import type { Bucket } from "./split.ts";
import { periodSeconds, type UsageWindow } from "./window.ts";

/** The figures of a store for one filter and group. Figures that the aggregation does not have are ignored. */
export type BucketFigures = {
  /** null: events that no filter takes. */
  readonly filter: ChargeFilter | null;
  readonly group: Group;
  readonly eventsCounted: bigint;
  readonly eventsIgnored: bigint;
  /** For sums and unique counts: the value before the window, and the changes in it. */
  readonly carried: Decimal;
  readonly added: Decimal;
  readonly removed: Decimal;
  /** For a weighted sum: each unit times the seconds it was in effect. */
  readonly unitSeconds: Decimal;
  /** The largest, or the latest. */
  readonly value: Decimal;
  /** For prices that use single events: the counted values of a sum or maximum, in order of time. null: no price uses them. */
  readonly values: readonly Decimal[] | null;
  /** For prorated prices: see `Quantity`. */
  readonly changes: readonly Change[];
};

/**
 * Every bucket of a charge in the order of `splitUsage`, the empty ones too. The figures may come in any order.
 */
export function bucketsFrom(charge: Charge, figures: readonly BucketFigures[], window: UsageWindow): Bucket[] {
  const { aggregation } = charge.metric;
  const taken = Map.groupBy(figures, ({ filter }) => filter);
  return [...charge.filters, null].flatMap((filter) => {
    const found = taken.get(filter) ?? [];
    const used = found
      .filter(({ eventsCounted }) => eventsCounted > 0n)
      .map((figure) => [groupKey(figure.group), figure] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, figure]) => bucketOf(aggregation, { ...figure, group: inOrder(figure.group) }, window));
    return used.length > 0 ? used : [bucketOf(aggregation, nothingOf(charge, filter, found), window)];
  });
}

function nothingOf(charge: Charge, filter: ChargeFilter | null, found: readonly BucketFigures[]): BucketFigures {
  return {
    filter,
    group: groupOf((filter?.price ?? charge.price).groupedBy, { properties: {} }),
    eventsCounted: 0n,
    eventsIgnored: found.reduce((sum, { eventsIgnored }) => sum + eventsIgnored, 0n),
    carried: ZERO,
    added: ZERO,
    removed: ZERO,
    unitSeconds: ZERO,
    value: ZERO,
    values: [],
    changes: [],
  };
}

function bucketOf(aggregation: Aggregation, figures: BucketFigures, window: UsageWindow): Bucket {
  const { filter, group } = figures;
  const basis = basisOf(aggregation, figures, window);
  return {
    filter,
    group,
    quantity: quantityFrom(basis, figures),
    derivation: derivationOf({ ...figures, basis }, window),
  };
}

function basisOf(aggregation: Aggregation, figures: BucketFigures, window: UsageWindow): Basis {
  const carried = exactText(figures.carried);
  const added = exactText(figures.added);
  const value = exactText(figures.value);
  switch (aggregation.type) {
    case "count":
      return { type: "count", events: String(figures.eventsCounted) };
    case "sum":
      return { type: "sum", field: aggregation.field, carried, added };
    case "max":
      return { type: "max", field: aggregation.field, largest: value };
    case "latest":
      return { type: "latest", field: aggregation.field, latest: value };
    case "unique_count":
      return { type: "unique_count", field: aggregation.field, carried, added, removed: exactText(figures.removed) };
    case "weighted_sum":
      return {
        type: "weighted_sum",
        field: aggregation.field,
        carried,
        added,
        unitSeconds: exactText(figures.unitSeconds),
        periodSeconds: String(periodSeconds(window)),
      };
  }
}

function quantityFrom(basis: Basis, { eventsCounted, values, changes }: BucketFigures): Quantity {
  const units = unitsFrom({ basis });
  return {
    units,
    eventsCount: basis.type === "unique_count" ? BigInt(units.toFixed()) : eventsCounted,
    eventsFolded: eventsCounted,
    closing: closingFrom({ basis }),
    values: values === null ? [] : worthOf(basis, units, Number(eventsCounted), values),
    changes,
  };
}

/** The value of each event. A store lists only values that cannot be computed. */
function worthOf(basis: Basis, units: Decimal, events: number, values: readonly Decimal[]): readonly Decimal[] {
  switch (basis.type) {
    case "count":
      return Array.from({ length: events }, () => ONE);
    case "unique_count":
      return Array.from({ length: Number(units.toFixed()) }, () => ONE);
    case "sum":
      return values;
    case "max":
      return alone(units, events, firstLargest(values, units));
    case "latest":
    case "weighted_sum":
      return alone(units, events, events - 1);
  }
}
