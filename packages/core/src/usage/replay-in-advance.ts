/** What was billed event by event in a period, recomputed from its events. */
import { isRecurring } from "../catalog/index.ts";
import { type Decimal, exactText, ZERO } from "../money/index.ts";
import { atLeastZero } from "./derivation.ts";
import { byTime, propertyOf, type UsageEvent } from "./event.ts";
import { addEvent, type InAdvanceAggregation, type InAdvanceState, type Totals } from "./in-advance.ts";
import { isBefore, type UsageWindow } from "./window.ts";

export type InAdvanceReplay = {
  /** The initial state of the period: nothing, or the total of a recurring metric, which its renewal billed. */
  readonly carried: Decimal;
  /** After the last event. */
  readonly state: InAdvanceState;
  /** The events that charged units, in order of acceptance. */
  readonly charges: readonly ChargedEvent[];
  /** For a unique count: the values in use. */
  readonly active: ReadonlySet<string>;
};

export type ChargedEvent = { readonly event: UsageEvent; readonly units: Decimal };

/**
 * Events of one filter and group, in any order, even repeated; the window selects them. Inside it they are processed in order of
 * acceptance, whatever their time. For a recurring metric, earlier events are its start.
 */
export function replayInAdvance(
  aggregation: InAdvanceAggregation,
  events: readonly UsageEvent[],
  window: UsageWindow,
): InAdvanceReplay {
  const seen = events.filter(({ at }) => Temporal.Instant.compare(at, window.to) < 0);
  const history = isRecurring(aggregation) ? seen.filter((event) => isBefore(event, window)) : [];
  const accepted = seen.filter((event) => !isBefore(event, window));
  const active = new Set<string>();
  const { units: carried } = walk(aggregation, { events: once(history.sort(byTime)), active }, ZERO);
  const { units, maximum, charges, count } = walk(
    aggregation,
    { events: once(accepted.sort(byPosition)), active },
    carried,
  );
  const state = { units: exactText(units), maximum: exactText(maximum), events: String(count) };
  return { carried, state, charges, active };
}

/** Whether the value of an event was in use before it. Only unique counts use this. */
export function isInUse(aggregation: InAdvanceAggregation, event: UsageEvent, active: ReadonlySet<string>): boolean {
  const value = aggregation.type === "unique_count" ? propertyOf(event, aggregation.field) : undefined;
  return value !== undefined && active.has(value);
}

/** Updates `active` on the way. */
function walk(
  aggregation: InAdvanceAggregation,
  { events, active }: { readonly events: readonly UsageEvent[]; readonly active: Set<string> },
  start: Decimal,
): Totals & { readonly charges: readonly ChargedEvent[]; readonly count: number } {
  let totals: Totals = { units: start, maximum: atLeastZero(start) };
  let count = 0;
  const charges: ChargedEvent[] = [];
  for (const event of events) {
    const step = addEvent(aggregation, totals, event, isInUse(aggregation, event, active));
    if (step === null) continue;
    count++;
    totals = step;
    if (step.charged.gt(ZERO)) charges.push({ event, units: step.charged });
    if (aggregation.type === "unique_count") turn(active, propertyOf(event, aggregation.field) ?? "", step.isActive);
  }
  return { ...totals, charges, count };
}

function turn(active: Set<string>, value: string, isActive: boolean): void {
  if (isActive) active.add(value);
  else active.delete(value);
}

/** Sorted, so that duplicates are adjacent. */
const once = (sorted: readonly UsageEvent[]): readonly UsageEvent[] =>
  sorted.filter((event, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || byTime(previous, event) !== 0;
  });

/** No two events have the same position; equal positions are sorted by time. */
const byPosition = (one: UsageEvent, other: UsageEvent): number =>
  Number(one.position > other.position) - Number(one.position < other.position) || byTime(one, other);
