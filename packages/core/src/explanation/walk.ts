/**
 * Walks event by event in order of time: what each contributed to a fee. The state is small and plain, so that a walk can resume at any
 * event.
 */
import {
  type Decimal,
  decimal,
  exactText,
  type Fraction,
  fraction,
  greatest,
  NOTHING,
  readExact,
  ZERO,
} from "../money/index.ts";
import { type ChargedSoFar, chargedAtStart, chargeMore, priceSoFar } from "../rating/index.ts";
import {
  isBefore,
  numericValue,
  propertyOf,
  secondsUntilEnd,
  turnOf,
  type UsageEvent,
  type UsageWindow,
  unitsFrom,
} from "../usage/index.ts";
import { type Attribution, attributionOf } from "./attribution.ts";
import { type ExplainedFee, isTallied, needsAllEvents, windowFrom } from "./explained-fee.ts";

/** The state of the walk between two events. It is plain data, so that a page cursor can contain it. */
export type Walk = {
  /** Events that were counted. */
  readonly events: string;
  /** The total so far, exact. */
  readonly units: string;
  /** For prices that use single events. */
  readonly soFar: ChargedSoFar | null;
  /** For a maximum: whether the walk has passed its event. */
  readonly isLargestPassed: boolean;
  /** The contributions of all events so far, including what was carried over, in major units. */
  readonly amount: string;
};

export type Contribution = {
  /** false: the event lacks the field that the metric counts. */
  readonly isCounted: boolean;
  /** What it added to the total of the fee, exact. */
  readonly units: Fraction;
  /** Its share of the fee before rounding, in major units. */
  readonly amount: Fraction;
};

/** Walks from event to event. It caches what depends only on the fee, so create it once for many events. */
export type Walker = {
  /** The start of the window, with what a recurring metric carries over. */
  readonly start: Walk;
  /** `wasActive`: for a unique count, whether the event's value was in use before it; ignored for other metrics. */
  readonly next: (
    walk: Walk,
    event: UsageEvent,
    wasActive: boolean,
  ) => { readonly walk: Walk; readonly contribution: Contribution };
};

const IGNORED: Contribution = { isCounted: false, units: NOTHING, amount: NOTHING };

/** The state before any event. */
export const emptyWalk = (fee: ExplainedFee): Walk => ({
  events: "0",
  units: "0",
  soFar: isTallied(fee) && fee.aggregation.type !== "unique_count" ? chargedAtStart(fee.pricing, ZERO) : null,
  isLargestPassed: false,
  amount: "0",
});

export function createWalker(fee: ExplainedFee): Walker {
  const attribution = attributionOf(fee);
  const window = windowFrom(fee.derivation.quantity.window);
  return {
    start: startOf(fee, attribution, window),
    next: (walk, event, wasActive) => {
      const found = findUnits(fee, { walk, window }, event, wasActive);
      if (found === null) return { walk, contribution: IGNORED };
      const priced = walk.soFar ? priceTallied(fee, walk.soFar, found.worth) : priceTotal(attribution, walk, found);
      const { amount, soFar } = priced;
      return {
        walk: {
          events: String(BigInt(walk.events) + 1n),
          units: exactText(readExact(walk.units).plus(found.units)),
          soFar,
          isLargestPassed: walk.isLargestPassed || found.isLargest,
          amount: exactText(readExact(walk.amount).plus(amount)),
        },
        contribution: { isCounted: true, units: found.units, amount },
      };
    },
  };
}

/** With all events at hand, the walk begins before the first of them and includes history. */
function startOf(fee: ExplainedFee, attribution: Attribution, window: UsageWindow): Walk {
  const units = carriedUnits(fee, window);
  if (units.isZero() || needsAllEvents(fee)) return emptyWalk(fee);
  return { ...emptyWalk(fee), units: exactText(units), amount: exactText(attribution({ units, events: 0n })) };
}

/** The initial total; for a weighted sum, weighed by the whole window. */
function carriedUnits({ derivation }: ExplainedFee, window: UsageWindow): Fraction {
  const { basis } = derivation.quantity;
  switch (basis.type) {
    case "sum":
    case "unique_count":
      return readExact(basis.carried);
    case "weighted_sum":
      return readExact(basis.carried).times(secondsUntilEnd(window.from, window)).over(BigInt(basis.periodSeconds));
    default:
      return NOTHING;
  }
}

type Found = {
  readonly units: Fraction;
  /** The value of the event for a price that uses single events. */
  readonly worth: Decimal;
  readonly isLargest: boolean;
};

/** null: the event lacks the field that the metric counts. */
function findUnits(
  { aggregation, derivation }: ExplainedFee,
  { walk, window }: { readonly walk: Walk; readonly window: UsageWindow },
  event: UsageEvent,
  wasActive: boolean,
): Found | null {
  if (aggregation.type === "count") return found(decimal("1"));
  if (aggregation.type === "unique_count") {
    const isValued = propertyOf(event, aggregation.field) !== undefined;
    return isValued ? found(decimal(String(turnOf(event, wasActive)))) : null;
  }
  const value = numericValue(propertyOf(event, aggregation.field));
  if (value === undefined) return null;
  const total = unitsFrom(derivation.quantity);
  const isLast = BigInt(walk.events) + 1n === BigInt(derivation.quantity.eventsCounted);
  switch (aggregation.type) {
    case "sum":
      return found(value);
    case "max": {
      const isLargest = !walk.isLargestPassed && value.eq(total);
      const units = greatest(fraction(value).minus(readExact(walk.units)), NOTHING);
      return { units, worth: isLargest ? total : ZERO, isLargest };
    }
    case "latest":
      return found(isLast ? total : ZERO);
    case "weighted_sum": {
      const seconds = secondsUntilEnd(isBefore(event, window) ? window.from : event.at, window);
      const units = fraction(value.times(seconds)).over(BigInt(window.periodDays) * 86_400n);
      return { units, worth: isLast ? total : ZERO, isLargest: false };
    }
  }
}

const found = (units: Decimal): Found => ({ units: fraction(units), worth: units, isLargest: false });

type PricedStep = { readonly amount: Fraction; readonly soFar: ChargedSoFar | null };

function priceTotal(attribution: Attribution, walk: Walk, { units: added }: Found): PricedStep {
  const units = readExact(walk.units);
  const events = BigInt(walk.events);
  const before = attribution({ units, events });
  return { amount: attribution({ units: units.plus(added), events: events + 1n }).minus(before), soFar: null };
}

function priceTallied({ pricing }: ExplainedFee, before: ChargedSoFar, worth: Decimal): PricedStep {
  const soFar = chargeMore(pricing, before, [worth]);
  return { amount: priceSoFar(pricing, soFar).amount.minus(priceSoFar(pricing, before).amount), soFar };
}
