/** How many different values are in use, each from its addition to its removal. */
import type { Aggregation } from "../catalog/index.ts";
import { decimal } from "../money/index.ts";
import { countDays, dayOf } from "../time/index.ts";
import { type Basis, type Measure, unitsFrom } from "./derivation.ts";
import { byTime, propertyOf, type UsageEvent } from "./event.ts";
import { type Change, quantityOf } from "./quantity.ts";
import { earlierDay, isBefore, laterDay, type UsageWindow } from "./window.ts";

type UniqueCount = Extract<Aggregation, { type: "unique_count" }>;

/** 1: the value comes into use. -1: it goes out of use. 0: nothing changes. */
type Turn = 1 | 0 | -1;
export type Turned = { readonly event: UsageEvent; readonly value: string; readonly turn: Turn };

/** The days on which a value was in use, from its addition to its removal, if any. */
type Span = { readonly added: DatedEvent; removed: DatedEvent | null };
export type DatedChange = Change & { readonly event: UsageEvent };
type DatedEvent = { readonly event: UsageEvent; readonly day: Temporal.PlainDate };

const ONE = decimal("1");
const MINUS_ONE = decimal("-1");

/** Counts the values in use at the window's end: after A add, A remove, B add, C add, it is 2. */
export function countActive(
  { field, isRecurring }: UniqueCount,
  seen: readonly UsageEvent[],
  window: UsageWindow,
): Measure {
  const turned = turns(field, seen);
  const carried = turned.filter(({ event }) => isBefore(event, window)).reduce((sum, { turn }) => sum + turn, 0);
  const inside = turned.filter(({ event }) => !isBefore(event, window));
  const added = inside.filter(({ turn }) => turn === 1).length;
  const removed = inside.filter(({ turn }) => turn === -1).length;
  const values = Array.from({ length: carried + added - removed }, () => ONE);
  const basis: Basis = {
    type: "unique_count",
    field,
    carried: String(carried),
    added: String(added),
    removed: String(removed),
  };
  return {
    quantity: {
      ...quantityOf(unitsFrom({ basis }), values),
      eventsFolded: BigInt(turned.length),
      changes: isRecurring ? changesOfTurns(turned, window) : [],
    },
    basis,
  };
}

/** Additions and removals, weighed by days, from events in order of time. Events that change nothing can be omitted. */
export const changesOfTurns = (turned: readonly Turned[], window: UsageWindow): Change[] =>
  datedChanges(turned, window).map(({ units, days }) => ({ units, days }));

/** The same, each with its event. A value that was removed and added again on one day has neither change. */
export const datedChanges = (turned: readonly Turned[], window: UsageWindow): DatedChange[] =>
  changesOf(spansOf(turned, window.timeZone), window);

/** The effect of an event on its value. Adding a value in use, or removing one that is not, has no effect. */
export function turnOf(event: UsageEvent, wasActive: boolean): Turn {
  const operation = propertyOf(event, "operation_type") ?? "add";
  if (operation === "add") return wasActive ? 0 : 1;
  return operation === "remove" && wasActive ? -1 : 0;
}

/** The events with a value, in order of time. */
export function turns(field: string, seen: readonly UsageEvent[]): Turned[] {
  const active = new Set<string>();
  return seen.flatMap((event) => {
    const value = propertyOf(event, field);
    if (value === undefined) return [];
    const turn = turnOf(event, active.has(value));
    if (turn === 1) active.add(value);
    if (turn === -1) active.delete(value);
    return [{ event, value, turn }];
  });
}

/** In order of addition. A value that was removed and added again on one local day was in use all day, so no day counts twice. */
function spansOf(turned: readonly Turned[], timeZone: string): Span[] {
  const spans: Span[] = [];
  const latest = new Map<string, Span>();
  for (const { event, value, turn } of turned) {
    if (turn === 0) continue;
    const dated = { event, day: dayOf(event.at, timeZone) };
    const span = latest.get(value);
    if (span !== undefined && turn === -1) span.removed = dated;
    else if (span?.removed?.day.equals(dated.day)) span.removed = null;
    else {
      const begun: Span = { added: dated, removed: null };
      spans.push(begun);
      latest.set(value, begun);
    }
  }
  return spans;
}

/** Additions are weighed by their days inside the window, including the day of removal. Removals have no further weight. */
function changesOf(spans: readonly Span[], window: UsageWindow): DatedChange[] {
  const touching = spans.filter(({ removed }) => removed === null || !isBefore(removed.event, window));
  const additions = touching.map((span) => ({ event: span.added.event, units: ONE, days: daysOf(span, window) }));
  const removals = touching.flatMap(({ removed }) =>
    removed === null ? [] : [{ event: removed.event, units: MINUS_ONE, days: 0 }],
  );
  // By time, the carried values come first, because they were added before the window.
  return [...additions, ...removals].sort((one, other) => byTime(one.event, other.event));
}

function daysOf({ added, removed }: Span, { firstDay, lastDay }: UsageWindow): number {
  return countDays(laterDay(added.day, firstDay), removed === null ? lastDay : earlierDay(removed.day, lastDay));
}
