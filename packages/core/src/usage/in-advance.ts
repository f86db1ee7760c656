/**
 * Usage that is billed event by event, in order of acceptance. Charged units are never refunded: only units above the highest total so far
 * are charged, so adding units up to it again is free.
 */
import type { Aggregation } from "../catalog/index.ts";
import { type Decimal, decimal, exactText, ZERO } from "../money/index.ts";
import { atLeastZero } from "./derivation.ts";
import { propertyOf, type UsageEvent } from "./event.ts";
import { numericValue } from "./property-value.ts";
import { turnOf } from "./unique-count.ts";

/** Only these may be billed in advance. */
export type InAdvanceAggregation = Extract<Aggregation, { type: "count" | "sum" | "unique_count" }>;

/** One row per subscription, charge, filter, group and period. Exact text. */
export type InAdvanceState = {
  /** The total now. */
  readonly units: string;
  /** The highest total so far, never below 0: a negative total is billed as 0. */
  readonly maximum: string;
  /** How many events made a fee. */
  readonly events: string;
};

export type InAdvanceStep = {
  readonly state: InAdvanceState;
  /** The priced units: those above the previous highest total. */
  readonly charged: Decimal;
  /** The displayed units. For a unique count, 1 for a value that comes into use, even if it is free. */
  readonly shownUnits: Decimal;
  /** For a unique count: whether the value is in use from now on. The caller stores it for the next event of that value. */
  readonly isActive: boolean;
};

/** The state of a new period: a metered metric carries 0, a recurring one its total, which the renewal has billed. */
export function startInAdvance(carried: Decimal): InAdvanceState {
  return { units: exactText(carried), maximum: exactText(atLeastZero(carried)), events: "0" };
}

/**
 * Processes one event: after +10 and -4, +8 makes 14 and charges 4. `wasActive`: for a unique count, whether the event's value was in use
 * before it; ignored for other metrics. null: the event lacks the field that the metric counts, so it has no fee.
 */
export function stepInAdvance(
  aggregation: InAdvanceAggregation,
  state: InAdvanceState,
  event: UsageEvent,
  wasActive: boolean,
): InAdvanceStep | null {
  const before = { units: decimal(state.units), maximum: decimal(state.maximum) };
  const step = addEvent(aggregation, before, event, wasActive);
  if (step === null) return null;
  const { units, maximum, added, charged, isActive } = step;
  return {
    state: { units: exactText(units), maximum: exactText(maximum), events: String(BigInt(state.events) + 1n) },
    charged,
    shownUnits: aggregation.type === "unique_count" ? atLeastZero(added) : charged,
    isActive,
  };
}

/** The total and the highest total so far. */
export type Totals = { readonly units: Decimal; readonly maximum: Decimal };

/** The same with numbers, for callers that process many events. */
export function addEvent(
  aggregation: InAdvanceAggregation,
  { units: before, maximum }: Totals,
  event: UsageEvent,
  wasActive: boolean,
): (Totals & { readonly added: Decimal; readonly charged: Decimal; readonly isActive: boolean }) | null {
  const added = addedBy(aggregation, event, wasActive);
  if (added === undefined) return null;
  const units = before.plus(added);
  const charged = atLeastZero(units.minus(maximum));
  const isActive = aggregation.type === "unique_count" && (added.eq(ZERO) ? wasActive : added.gt(ZERO));
  return { units, maximum: maximum.plus(charged), added, charged, isActive };
}

/** Whether an event can lower the total. If none does, the last total is the highest. */
export function takesAway(aggregation: Aggregation, event: UsageEvent): boolean {
  if (aggregation.type === "unique_count") return propertyOf(event, "operation_type") === "remove";
  return aggregation.type === "sum" && numericValue(propertyOf(event, aggregation.field))?.lt(ZERO) === true;
}

function addedBy(aggregation: InAdvanceAggregation, event: UsageEvent, wasActive: boolean): Decimal | undefined {
  switch (aggregation.type) {
    case "count":
      return decimal("1");
    case "sum":
      return numericValue(propertyOf(event, aggregation.field));
    case "unique_count":
      return propertyOf(event, aggregation.field) === undefined ? undefined : decimal(String(turnOf(event, wasActive)));
  }
}
