/** The usage of a charge billed event by event, as current usage shows it. */
import type { Charge, ChargeFilter } from "../catalog/index.ts";
import { type Bucket, filterFinder, groupKey, groupOf, replayInAdvance, type UsageEvent } from "../usage/index.ts";
import { feeSoFar, inAdvanceTerms, tallyOf } from "./bill-in-advance.ts";
import { type BucketFee, looksAtValues, type RatingContext } from "./rate-charge.ts";

/**
 * Whether the amount depends on the order of acceptance: if units were removed, or if each event is priced on its own. Otherwise the last
 * total is the highest and is enough. For a count, all events are alike.
 */
export function dependsOnAcceptance(charge: Charge, { wasLowered }: { readonly wasLowered: boolean }): boolean {
  if (charge.timing.type !== "in_advance" || charge.metric.aggregation.type === "count") return false;
  return wasLowered || charge.isProrated || looksAtValues(charge);
}

/** Prices every bucket at its highest total. `events` are all events of the charge, with their order of acceptance. */
export function rateInAdvance(
  charge: Charge,
  buckets: readonly Bucket[],
  events: readonly UsageEvent[],
  context: RatingContext,
): BucketFee[] {
  const findFilter = filterFinder(charge);
  const accepted = Map.groupBy(events, (event) => {
    const filter = findFilter(event);
    return keyOf(filter, groupOf((filter?.price ?? charge.price).groupedBy, event));
  });
  return buckets.map(({ filter, group, quantity }) => {
    const terms = inAdvanceTerms(charge, filter, context);
    const replay = replayInAdvance(terms.aggregation, accepted.get(keyOf(filter, group)) ?? [], context.window);
    // For every unique count, the API shows its value as the number of events.
    const eventsCount = terms.aggregation.type === "unique_count" ? BigInt(replay.state.maximum) : quantity.eventsCount;
    return { filterId: filter?.id ?? null, group, ...feeSoFar(terms, tallyOf(terms, replay), eventsCount) };
  });
}

const keyOf = (filter: ChargeFilter | null, group: Bucket["group"]): string => `${filter?.id} ${groupKey(group)}`;
