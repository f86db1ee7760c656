/** The usage of a charge billed event by event, as current usage shows it. */
import type { Charge, ChargeFilter } from "../catalog/index.ts";
import { type Bucket, filterFinder, groupKey, groupOf, replayInAdvance, type UsageEvent } from "../usage/index.ts";
import { feeSoFar, inAdvanceTerms, tallyOf } from "./bill-in-advance.ts";
import { type BucketFee, looksAtValues, type RatingContext } from "./rate-charge.ts";

/**
 * Whether what it came to depends on the order in which events were accepted: where something was taken away on the way, or
 * where each event is priced by itself. Otherwise the last total is the highest and says everything. Of a count each event is
 * like another.
 */
export function dependsOnAcceptance(charge: Charge, { wasLowered }: { readonly wasLowered: boolean }): boolean {
  if (charge.timing.type !== "in_advance" || charge.metric.aggregation.type === "count") return false;
  return wasLowered || charge.isProrated || looksAtValues(charge);
}

/** Prices every bucket by its highest total. `events` are all of the charge, with their order of acceptance. */
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
    // As of every unique count its value is shown as its number of events.
    const eventsCount = terms.aggregation.type === "unique_count" ? BigInt(replay.state.maximum) : quantity.eventsCount;
    return { filterId: filter?.id ?? null, group, ...feeSoFar(terms, tallyOf(terms, replay), eventsCount) };
  });
}

const keyOf = (filter: ChargeFilter | null, group: Bucket["group"]): string => `${filter?.id} ${groupKey(group)}`;
