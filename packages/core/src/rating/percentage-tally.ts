/** A percentage price folds over the events in order, so that the tally alone is enough to price the next event. */
import type { PercentagePricing } from "../catalog/index.ts";
import {
  type Decimal,
  decimal,
  type Exact,
  exactText,
  type Fraction,
  fraction,
  greatest,
  least,
  NOTHING,
  ZERO,
} from "../money/index.ts";
import type { Priced } from "./price-model.ts";

export type PercentageDerivation = {
  readonly model: "percentage";
  readonly units: string;
  readonly events: string;
  readonly freeUnits: string;
  readonly freeEvents: string;
  readonly rate: string;
  readonly fixedAmount: string;
  /** What limits per transaction added to, or took from, the percentage and the fixed amounts. */
  readonly adjustment: string;
};

/** The state that the price of the events so far depends on. */
export type PercentageTally = {
  readonly units: Fraction;
  readonly events: bigint;
  /** The value of the first events, as many as are free. */
  readonly unitsOfFreeEvents: Fraction;
  /** Events after which the running total was still below the free amount. */
  readonly eventsBelowFreeUnits: bigint;
  /** Only with limits per transaction: the free value and the cost of the paid events, one by one. */
  readonly walk: LimitedWalk;
};

type LimitedWalk = {
  readonly isFreeUsedUp: boolean;
  readonly freeUnits: Fraction;
  readonly freeEvents: bigint;
  readonly paid: Fraction;
};

const ONE_PERCENT = decimal("0.01");

export const EMPTY_TALLY: PercentageTally = {
  units: NOTHING,
  events: 0n,
  unitsOfFreeEvents: NOTHING,
  eventsBelowFreeUnits: 0n,
  walk: { isFreeUsedUp: false, freeUnits: NOTHING, freeEvents: 0n, paid: NOTHING },
};

/** A free amount of 0 counts as none: it neither frees an event nor ends the free events. */
const freeAmount = ({ freeUnits }: PercentagePricing): Decimal | null => (freeUnits?.gt(ZERO) ? freeUnits : null);

/** The tally after one more event. */
export function addToTally(pricing: PercentagePricing, tally: PercentageTally, value: Decimal): PercentageTally {
  const units = tally.units.plus(value);
  const events = tally.events + 1n;
  const isFreeByCount = pricing.freeEvents !== null && events <= pricing.freeEvents;
  const allowance = freeAmount(pricing);
  const isBelowFreeUnits = allowance !== null && units.isBelow(allowance);
  return {
    units,
    events,
    unitsOfFreeEvents: isFreeByCount ? units : tally.unitsOfFreeEvents,
    eventsBelowFreeUnits: tally.eventsBelowFreeUnits + (isBelowFreeUnits ? 1n : 0n),
    walk: hasLimits(pricing) ? walkOn(pricing, tally.walk, value) : tally.walk,
  };
}

/** The tally of events for which only sum and number are known. */
export const tallyOfSum = (units: Exact, events: bigint): PercentageTally => ({
  ...EMPTY_TALLY,
  units: fraction(units),
  events,
});

/** The cost of the events of a tally. */
export function priceOfTally(pricing: PercentagePricing, tally: PercentageTally): Priced<PercentageDerivation> {
  const { units } = tally;
  // Without units there is no fixed amount and no minimum.
  if (!units.isAbove(0n)) {
    return stepsOf(pricing, { ...tally, units: NOTHING }, { units: NOTHING, events: tally.events }, NOTHING);
  }
  if (hasLimits(pricing)) return priceOfWalk(pricing, tally);
  const free = { units: least(freeUnits(pricing, tally), units), events: freeEvents(pricing, tally) };
  return stepsOf(pricing, tally, free, NOTHING);
}

function freeUnits(pricing: PercentagePricing, tally: PercentageTally): Fraction {
  const allowance = freeAmount(pricing);
  if (allowance === null) return tally.unitsOfFreeEvents;
  return pricing.freeEvents === null ? fraction(allowance) : least(tally.unitsOfFreeEvents, fraction(allowance));
}

/** With both allowances, the smaller number counts, unless it is 0. */
function freeEvents(
  { freeEvents }: PercentagePricing,
  { events, eventsBelowFreeUnits: below }: PercentageTally,
): bigint {
  if (freeEvents === null) return below;
  const byCount = freeEvents < events ? freeEvents : events;
  return below > 0n && below < byCount ? below : byCount;
}

/** Otherwise the sum and the number of the events are enough. */
export const looksAtEvents = (pricing: PercentagePricing): boolean =>
  pricing.freeEvents !== null || freeAmount(pricing) !== null || hasLimits(pricing);

const hasLimits = ({ perTransactionMin, perTransactionMax }: PercentagePricing): boolean =>
  perTransactionMin !== null || perTransactionMax !== null;

/** With limits, each event is priced on its own. The event that exhausts the free amount pays on the rest and ends all allowances. */
function walkOn(pricing: PercentagePricing, walk: LimitedWalk, value: Decimal): LimitedWalk {
  const left = walk.isFreeUsedUp ? NOTHING : freeLeft(pricing, walk, value);
  if (left === "all") {
    const freeEvents = walk.freeEvents + 1n;
    return {
      ...walk,
      freeUnits: walk.freeUnits.plus(value),
      freeEvents,
      isFreeUsedUp: freeEvents === pricing.freeEvents,
    };
  }
  const cost = fraction(value).minus(left).times(pricing.rate).times(ONE_PERCENT).plus(pricing.fixedAmount);
  return {
    isFreeUsedUp: true,
    freeUnits: walk.freeUnits.plus(left),
    freeEvents: walk.freeEvents,
    paid: walk.paid.plus(withinLimits(pricing, cost)),
  };
}

/** How much of the next event is free. */
function freeLeft(pricing: PercentagePricing, walk: LimitedWalk, value: Decimal): Fraction | "all" {
  const allowance = freeAmount(pricing);
  if (allowance === null) return pricing.freeEvents === null ? NOTHING : "all";
  const left = fraction(allowance).minus(walk.freeUnits);
  return left.isAbove(value) ? "all" : left;
}

function withinLimits({ perTransactionMin, perTransactionMax }: PercentagePricing, cost: Fraction): Fraction {
  const raised = perTransactionMin === null ? cost : greatest(cost, fraction(perTransactionMin));
  return perTransactionMax === null ? raised : least(raised, fraction(perTransactionMax));
}

function priceOfWalk(pricing: PercentagePricing, tally: PercentageTally): Priced<PercentageDerivation> {
  const { walk } = tally;
  const free = { units: walk.freeUnits, events: walk.freeEvents };
  const unlimited = stepsOf(pricing, tally, free, NOTHING).amount;
  const paid = greatest(walk.paid, NOTHING);
  return stepsOf(pricing, tally, free, paid.minus(unlimited));
}

function stepsOf(
  { rate, fixedAmount }: PercentagePricing,
  { units, events }: PercentageTally,
  free: { units: Fraction; events: bigint },
  adjustment: Fraction,
): Priced<PercentageDerivation> {
  const share = units.minus(free.units).times(rate).times(ONE_PERCENT);
  const fixed = fraction(events - free.events).times(fixedAmount);
  return {
    amount: share.plus(fixed).plus(adjustment),
    derivation: {
      model: "percentage",
      units: exactText(units),
      events: String(events),
      freeUnits: exactText(free.units),
      freeEvents: String(free.events),
      rate: exactText(rate),
      fixedAmount: exactText(fixedAmount),
      adjustment: exactText(adjustment),
    },
  };
}
