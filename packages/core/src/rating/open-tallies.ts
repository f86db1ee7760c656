/** The tallies of all buckets of a charge that is billed event by event, recomputed from its events. */
import type { Charge, ChargeFilter } from "../catalog/index.ts";
import {
  filterFinder,
  type Group,
  groupKey,
  groupOf,
  type InAdvanceAggregation,
  propertyOf,
  replayInAdvance,
  type UsageEvent,
} from "../usage/index.ts";
import { type InAdvanceTally, inAdvanceTerms, tallyOf } from "./bill-in-advance.ts";
import type { RatingContext } from "./rate-charge.ts";

export type OpenTally = {
  readonly filter: ChargeFilter | null;
  readonly group: Group;
  readonly tally: InAdvanceTally;
  /** For a unique count: the values in use. */
  readonly active: ReadonlySet<string>;
};

/** One for each filter and group with an event. `events` are all events of the charge, with their order of acceptance. */
export function openTallies(charge: Charge, events: readonly UsageEvent[], context: RatingContext): OpenTally[] {
  const findFilter = filterFinder(charge);
  const buckets = new Map<string, Omit<OpenTally, "tally" | "active"> & { readonly events: UsageEvent[] }>();
  for (const event of events) {
    const filter = findFilter(event);
    const group = groupOf((filter?.price ?? charge.price).groupedBy, event);
    const key = `${filter?.id} ${groupKey(group)}`;
    const bucket = buckets.get(key) ?? { filter, group, events: [] };
    bucket.events.push(event);
    buckets.set(key, bucket);
  }
  return [...buckets.values()].map(({ filter, group, events: own }) => {
    const terms = inAdvanceTerms(charge, filter, context);
    const replay = replayInAdvance(terms.aggregation, own, context.window);
    return { filter, group, tally: tallyOf(terms, replay), active: replay.active };
  });
}

/** The value of a unique count in an event; null for other metrics. */
export const countedValue = (aggregation: InAdvanceAggregation, event: UsageEvent): string | null =>
  aggregation.type === "unique_count" ? (propertyOf(event, aggregation.field) ?? null) : null;
