/** What every event contributed to a fee, for fees that need all of their events at once. */
import { type Fraction, fraction, NOTHING, sumDecimals, ZERO } from "../money/index.ts";
import { countDays } from "../time/index.ts";
import {
  type Change,
  datedChanges,
  daysLeft,
  eventsSeen,
  isBefore,
  numericValue,
  propertyOf,
  turns,
  type UsageEvent,
  type UsageWindow,
} from "../usage/index.ts";
import { type ExplainedFee, isWeighedByDays, windowFrom } from "./explained-fee.ts";
import { priceByDays } from "./price-by-days.ts";
import { type Contribution, createWalker, emptyWalk } from "./walk.ts";

export type ContributedEvent<Event extends UsageEvent = UsageEvent> = {
  readonly event: Event;
  readonly contribution: Contribution;
};

export type AllContributions<Event extends UsageEvent = UsageEvent> = {
  /** The cost of what was there before the window, in major units. */
  readonly carried: Fraction;
  /** The events of the window in order of time. */
  readonly events: readonly ContributedEvent<Event>[];
};

/** Events of one filter and group, in any order; the window selects them. Events before the window are carried over. */
export function contributionsOf<Event extends UsageEvent>(
  fee: ExplainedFee,
  events: readonly Event[],
): AllContributions<Event> {
  const window = windowFrom(fee.derivation.quantity.window);
  // This sorts and filters, and creates no new events.
  const seen = eventsSeen(fee.aggregation, events, window) as readonly Event[];
  const contributions = isWeighedByDays(fee) ? weighedByDays(fee, seen, window) : walked(fee, seen);
  const before = contributions.filter(({ event }) => isBefore(event, window));
  return {
    carried: before.reduce((sum, { contribution }) => sum.plus(contribution.amount), NOTHING),
    events: contributions.slice(before.length),
  };
}

function walked<Event extends UsageEvent>(fee: ExplainedFee, seen: readonly Event[]): ContributedEvent<Event>[] {
  const { aggregation } = fee;
  const { next } = createWalker(fee);
  const active = new Set<string>();
  let walk = emptyWalk(fee);
  return seen.map((event) => {
    const value = aggregation.type === "unique_count" ? propertyOf(event, aggregation.field) : undefined;
    const step = next(walk, event, value !== undefined && active.has(value));
    walk = step.walk;
    if (value !== undefined && step.contribution.units.isAbove(0n)) active.add(value);
    if (value !== undefined && step.contribution.units.isBelow(0n)) active.delete(value);
    return { event, contribution: step.contribution };
  });
}

/** A change of the total by one event, or by everything before the window. */
type EventChange<Event> = Change & { readonly event: Event | null };

function weighedByDays<Event extends UsageEvent>(
  fee: ExplainedFee,
  seen: readonly Event[],
  window: UsageWindow,
): ContributedEvent<Event>[] {
  const { aggregation } = fee;
  const field = "field" in aggregation ? aggregation.field : "";
  const isUnique = aggregation.type === "unique_count";
  const changes = isUnique ? changesOfUnique(field, seen, window) : changesOfSum(field, seen, window);
  const amounts = priceByDays(fee, changes);
  const byEvent = new Map<UsageEvent, { units: Fraction; amount: Fraction }>();
  for (const [index, { event, units }] of changes.entries()) {
    // The carried-over sum is one change, attributed to the last event before the window.
    const of = event ?? seen.findLast((one) => isBefore(one, window));
    const known = of && byEvent.get(of);
    if (of)
      byEvent.set(of, {
        units: fraction(units).plus(known?.units ?? NOTHING),
        amount: (amounts[index] ?? NOTHING).plus(known?.amount ?? NOTHING),
      });
  }
  return seen.map((event) => {
    const text = propertyOf(event, field);
    const isCounted = isUnique ? text !== undefined : numericValue(text) !== undefined;
    const { units, amount } = byEvent.get(event) ?? { units: NOTHING, amount: NOTHING };
    return { event, contribution: { isCounted, units, amount } };
  });
}

function changesOfUnique<Event extends UsageEvent>(
  field: string,
  seen: readonly Event[],
  window: UsageWindow,
): EventChange<Event>[] {
  return datedChanges(turns(field, seen), window).map((change) => ({ ...change, event: change.event as Event }));
}

/** The same changes as in the quantity: everything before the window is one, and every event inside another. */
function changesOfSum<Event extends UsageEvent>(
  field: string,
  seen: readonly Event[],
  window: UsageWindow,
): EventChange<Event>[] {
  const valued = seen.flatMap((event) => {
    const value = numericValue(propertyOf(event, field));
    return value === undefined ? [] : [{ event, value }];
  });
  const before = valued.filter(({ event }) => isBefore(event, window));
  const carried = sumDecimals(before.map(({ value }) => value));
  const inside = valued
    .slice(before.length)
    .map(({ event, value }) => ({ event, units: value, days: daysLeft(event.at, window) }));
  const days = countDays(window.firstDay, window.lastDay);
  return carried.eq(ZERO) ? inside : [{ event: null, units: carried, days }, ...inside];
}
