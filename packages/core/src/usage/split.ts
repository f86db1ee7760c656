/** The usage of one charge, split into separately billed buckets. */
import type { Charge, ChargeFilter } from "../catalog/index.ts";
import { measure } from "./aggregate.ts";
import { derivationOf, type UsageDerivation } from "./derivation.ts";
import type { UsageEvent } from "./event.ts";
import { filterFinder } from "./filter.ts";
import { type Group, groupOf, inGroups } from "./group.ts";
import type { Quantity } from "./quantity.ts";
import { type AtEnd, eventsSeen, type UsageWindow } from "./window.ts";

/** The inputs of one fee. */
export type Bucket = {
  /** null: the default bucket, for events that no filter takes. */
  readonly filter: ChargeFilter | null;
  readonly group: Group;
  readonly quantity: Quantity;
  readonly derivation: UsageDerivation;
};

/** Events that are billed together. */
type Share = Pick<Bucket, "filter" | "group"> & { readonly events: readonly UsageEvent[] };

/**
 * Every bucket of a charge: filters as the charge lists them, the default bucket last, groups in order of their keys. Each
 * event counts in exactly one. A filter without usage has one empty bucket, its group all null.
 */
export function splitUsage(
  charge: Charge,
  events: readonly UsageEvent[],
  window: UsageWindow,
  isSeenAtEnd?: AtEnd,
): Bucket[] {
  const seen = eventsSeen(charge.metric.aggregation, events, window, isSeenAtEnd);
  const taken = Map.groupBy(seen, filterFinder(charge));
  return [...charge.filters, null].flatMap((filter) => {
    const events = taken.get(filter) ?? [];
    const { groupedBy } = filter?.price ?? charge.price;
    const buckets = sharesOf(filter, groupedBy, events)
      .map((share) => bucketOf(charge, share, window))
      .filter(({ quantity }) => quantity.eventsFolded > 0n);
    const empty: Share = { filter, group: groupOf(groupedBy, { properties: {} }), events };
    return buckets.length > 0 ? buckets : [bucketOf(charge, empty, window)];
  });
}

function sharesOf(filter: ChargeFilter | null, groupedBy: readonly string[], events: readonly UsageEvent[]): Share[] {
  return inGroups(events, (event) => groupOf(groupedBy, event)).map(({ group, items }) => ({
    filter,
    group,
    events: items,
  }));
}

function bucketOf({ metric }: Charge, { filter, group, events }: Share, window: UsageWindow): Bucket {
  const { quantity, basis } = measure(metric.aggregation, events, window);
  const eventsCounted = quantity.eventsFolded;
  const eventsIgnored = BigInt(events.length) - eventsCounted;
  return {
    filter,
    group,
    quantity,
    derivation: derivationOf({ filter, group, basis, eventsCounted, eventsIgnored }, window),
  };
}
