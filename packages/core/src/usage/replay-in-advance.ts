/** What was billed event by event in a period, gone through again from its events. */
import { isRecurring } from "../catalog/index.ts";
import { type Decimal, exactText, ZERO } from "../money/index.ts";
import { atLeastZero } from "./derivation.ts";
import { byTime, propertyOf, type UsageEvent } from "./event.ts";
import { addEvent, type InAdvanceAggregation, type InAdvanceState, type Totals } from "./in-advance.ts";
import { isBefore, type UsageWindow } from "./window.ts";

export type InAdvanceReplay = {
  /** What the period began with: nothing, or the total of a recurring metric, which its renewal billed. */
  readonly carried: Decimal;
  /** After the last event. */
  readonly state: InAdvanceState;
  /** The events that charged units, in order of acceptance. */
  readonly charges: readonly ChargedEvent[];
  /** Of a unique count: the values that are in use. */
  readonly active: ReadonlySet<string>;
};

export type ChargedEvent = { readonly event: UsageEvent; readonly units: Decimal };

/**
 * Events of one filter and group, in any order, even repeated: the window chooses. Inside it they are taken in order of
 * acceptance, whatever their time; what lies before it, of a recurring metric, is its start.
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

/** Whether the value of an event is in use before it; of other metrics than unique counts nobody asks. */
export function isInUse(aggregation: InAdvanceAggregation, event: UsageEvent, active: ReadonlySet<string>): boolean {
  const value = aggregation.type === "unique_count" ? propertyOf(event, aggregation.field) : undefined;
  return value !== undefined && active.has(value);
}

/** Keeps `active` up to date on the way. */
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

/** In order, so that what is there twice stands side by side. */
const once = (sorted: readonly UsageEvent[]): readonly UsageEvent[] =>
  sorted.filter((event, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || byTime(previous, event) !== 0;
  });

/** Of one position, which no two events have, by time. */
const byPosition = (one: UsageEvent, other: UsageEvent): number =>
  Number(one.position > other.position) - Number(one.position < other.position) || byTime(one, other);
