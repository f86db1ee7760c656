/** How many units were paid for by fees in advance, by the filters and groups of another charge on the same metric. */
import type { Charge } from "../catalog/index.ts";
import { type Decimal, decimal } from "../money/index.ts";
import type { UsageEvent } from "./event.ts";
import { filterFinder } from "./filter.ts";
import { type Group, groupKey, groupOf } from "./group.ts";
import { replayInAdvance } from "./replay-in-advance.ts";
import type { UsageWindow } from "./window.ts";

export type PaidUnits = { readonly filterId: string | null; readonly group: Group; readonly units: Decimal };

/**
 * The highest total of each filter and group in the window, because a decrease is not refunded. `events` are all of the charge, with
 * their order of acceptance.
 */
export function paidUnits(charge: Charge, events: readonly UsageEvent[], window: UsageWindow): PaidUnits[] {
  const { aggregation } = charge.metric;
  if (aggregation.type !== "sum" && aggregation.type !== "unique_count") return [];
  const findFilter = filterFinder(charge);
  const buckets = Map.groupBy(events, (event) => {
    const filter = findFilter(event);
    return JSON.stringify([filter?.id ?? null, groupKey(groupOf((filter?.price ?? charge.price).groupedBy, event))]);
  });
  return [...buckets].map(([key, own]) => {
    const [filterId, group] = JSON.parse(key) as [string | null, string];
    const { state } = replayInAdvance(aggregation, own, window);
    return { filterId, group: JSON.parse(group), units: decimal(state.maximum) };
  });
}
