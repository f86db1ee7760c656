/** How many units were paid by fees in advance, by the filters and groups of another charge on the same metric. */
import type { Charge } from "../catalog/index.ts";
import { type Decimal, decimal } from "../money/index.ts";
import type { UsageEvent } from "./event.ts";
import { filterFinder } from "./filter.ts";
import { type Group, groupOf, inGroups } from "./group.ts";
import { replayInAdvance } from "./replay-in-advance.ts";
import type { UsageWindow } from "./window.ts";

export type PaidUnits = { readonly filterId: string | null; readonly group: Group; readonly units: Decimal };

/**
 * The highest total of each filter and group in the window, because a decrease is not refunded. `events` are all events of the charge, with
 * their order of acceptance.
 */
export function paidUnits(charge: Charge, events: readonly UsageEvent[], window: UsageWindow): PaidUnits[] {
  const { aggregation } = charge.metric;
  if (aggregation.type !== "sum" && aggregation.type !== "unique_count") return [];
  const findFilter = filterFinder(charge);
  return [...Map.groupBy(events, findFilter)].flatMap(([filter, taken]) =>
    inGroups(taken, (event) => groupOf((filter?.price ?? charge.price).groupedBy, event)).map(({ group, items }) => {
      const { state } = replayInAdvance(aggregation, items, window);
      return { filterId: filter?.id ?? null, group, units: decimal(state.maximum) };
    }),
  );
}
