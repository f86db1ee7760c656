/** Events → quantity: the reference that every store's own aggregation must agree with. */
import type { Aggregation } from "../catalog/index.ts";
import { type Decimal, decimal, exactText, sumDecimals, ZERO } from "../money/index.ts";
import { countDays } from "../time/index.ts";
import { type Basis, type Measure, unitsFrom } from "./derivation.ts";
import { propertyOf, type UsageEvent } from "./event.ts";
import { numericValue } from "./property-value.ts";
import { type Change, type Quantity, quantityOf } from "./quantity.ts";
import { countActive } from "./unique-count.ts";
import { daysLeft, eventsSeen, isBefore, periodSeconds, secondsUntilEnd, type UsageWindow } from "./window.ts";

/** An event that counts, with its number. */
type ValuedEvent = { readonly event: UsageEvent; readonly value: Decimal };

export const ONE = decimal("1");

/**
 * The usage of a window. The events can be in any order, even repeated; the window selects them. For 5, "7.5", -2 and "x" the sum is 10.5
 * over 3 events.
 */
export function aggregate(aggregation: Aggregation, events: readonly UsageEvent[], window: UsageWindow): Quantity {
  return measure(aggregation, eventsSeen(aggregation, events, window), window).quantity;
}

/** Whether an event has the field that the metric counts; others are ignored. */
export function isCounted(aggregation: Aggregation, event: Pick<UsageEvent, "properties">): boolean {
  if (aggregation.type === "count") return true;
  const text = propertyOf(event, aggregation.field);
  return aggregation.type === "unique_count" ? text !== undefined : numericValue(text) !== undefined;
}

/** The quantity of the events in a window, with its figures. */
export function measure(aggregation: Aggregation, seen: readonly UsageEvent[], window: UsageWindow): Measure {
  switch (aggregation.type) {
    case "count":
      return measureOf(
        { type: "count", events: String(seen.length) },
        seen.map(() => ONE),
      );
    case "sum":
      return sumValues(aggregation, valuedEvents(aggregation.field, seen), window);
    case "max":
      return largestValue(aggregation.field, valuesOf(valuedEvents(aggregation.field, seen)));
    case "latest":
      return latestValue(aggregation.field, valuesOf(valuedEvents(aggregation.field, seen)));
    case "unique_count":
      return countActive(aggregation, seen, window);
    case "weighted_sum":
      return weighByTime(aggregation.field, valuedEvents(aggregation.field, seen), window);
  }
}

function sumValues(
  { field, isRecurring }: Extract<Aggregation, { type: "sum" }>,
  valued: readonly ValuedEvent[],
  window: UsageWindow,
): Measure {
  const { carried, inside } = splitAtStart(valued, window);
  const added = sumDecimals(valuesOf(inside));
  const basis: Basis = { type: "sum", field, carried: exactText(carried), added: exactText(added) };
  const changes = isRecurring ? changesOfSum(carried, inside, window) : [];
  return measureOf(basis, valuesOf(valued), { changes });
}

/** What was there before is weighed by all days of the window, and changes inside it by the remaining days. */
function changesOfSum(carried: Decimal, inside: readonly ValuedEvent[], window: UsageWindow): Change[] {
  const changes = inside.map(({ event, value }) => ({ units: value, days: daysLeft(event.at, window) }));
  const days = countDays(window.firstDay, window.lastDay);
  return carried.eq(ZERO) ? changes : [{ units: carried, days }, ...changes];
}

/** If several events have the largest value, the first one has it and the others have 0. */
function largestValue(field: string, values: readonly Decimal[]): Measure {
  const largest = values.reduce((best, value) => (value.gt(best) ? value : best), values[0] ?? ZERO);
  const basis: Basis = { type: "max", field, largest: exactText(largest) };
  return measureOf(basis, alone(largest, values.length, firstLargest(values, largest)));
}

export const firstLargest = (values: readonly Decimal[], largest: Decimal): number =>
  values.findIndex((value) => value.eq(largest));

function latestValue(field: string, values: readonly Decimal[]): Measure {
  const basis: Basis = { type: "latest", field, latest: exactText(values.at(-1) ?? ZERO) };
  return measureOf(basis, alone(unitsFrom({ basis }), values.length, values.length - 1));
}

/**
 * Each value is weighed by the exact time from its event, or from the window's start, to the window's end. The sum is divided by the
 * nominal seconds of the full period, 86,400 a day even if clocks change.
 */
function weighByTime(field: string, valued: readonly ValuedEvent[], window: UsageWindow): Measure {
  const { carried, inside } = splitAtStart(valued, window);
  const added = sumDecimals(valuesOf(inside));
  const unitSeconds = sumDecimals([
    carried.times(secondsUntilEnd(window.from, window)),
    ...inside.map(({ event, value }) => value.times(secondsUntilEnd(event.at, window))),
  ]);
  const basis: Basis = {
    type: "weighted_sum",
    field,
    carried: exactText(carried),
    added: exactText(added),
    unitSeconds: exactText(unitSeconds),
    periodSeconds: String(periodSeconds(window)),
  };
  const values = alone(unitsFrom({ basis }), valued.length, valued.length - 1);
  return measureOf(basis, values, { closing: carried.plus(added) });
}

const valuedEvents = (field: string, seen: readonly UsageEvent[]): ValuedEvent[] =>
  seen.flatMap((event) => {
    const value = numericValue(propertyOf(event, field));
    return value === undefined ? [] : [{ event, value }];
  });

const valuesOf = (valued: readonly ValuedEvent[]): Decimal[] => valued.map(({ value }) => value);

function splitAtStart(valued: readonly ValuedEvent[], window: UsageWindow) {
  const before = valued.filter(({ event }) => isBefore(event, window));
  return { carried: sumDecimals(valuesOf(before)), inside: valued.slice(before.length) };
}

/** The result at one event, 0 at the others. */
export const alone = (result: Decimal, events: number, at: number): Decimal[] =>
  Array.from({ length: events }, (_, index) => (index === at ? result : ZERO));

/** Units are computed from their figures, so that the explanation cannot differ from the bill. */
const measureOf = (basis: Basis, values: readonly Decimal[], more: Partial<Quantity> = {}): Measure => ({
  quantity: { ...quantityOf(unitsFrom({ basis }), values), ...more },
  basis,
});
