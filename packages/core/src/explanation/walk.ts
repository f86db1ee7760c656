/** Event by event, in order of time: what each contributed to a fee. The state is small and plain, so that any event can be the next. */
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

/** Where the walk stands between two events. Plain data: a cursor carries it. */
export type Walk = {
  /** Events that were counted. */
  readonly events: string;
  /** The total so far, exact. */
  readonly units: string;
  /** Of prices that look at single events. */
  readonly soFar: ChargedSoFar | null;
  /** Of a maximum: whether the event that holds it was passed. */
  readonly isLargestPassed: boolean;
  /** What all events so far have contributed, with what was carried over, in major units. */
  readonly amount: string;
};

export type Contribution = {
  /** false: it lacks what the metric counts. */
  readonly isCounted: boolean;
  /** What it added to the total of the fee, exact. */
  readonly units: Fraction;
  /** Its share of the fee before rounding, in major units. */
  readonly amount: Fraction;
};

/** Goes from event to event. It keeps what follows from the fee alone, so make it once for many events. */
export type Walker = {
  /** Where the window begins: with what a recurring metric carries over. */
  readonly start: Walk;
  /** `wasActive` says of a unique count whether the event's value is in use before it; other metrics do not ask. */
  readonly next: (
    walk: Walk,
    event: UsageEvent,
    wasActive: boolean,
  ) => { readonly walk: Walk; readonly contribution: Contribution };
};

const IGNORED: Contribution = { isCounted: false, units: NOTHING, amount: NOTHING };

/** Where nothing has come yet. */
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

/** With all events at hand one begins before the first of them, and history is walked too. */
function startOf(fee: ExplainedFee, attribution: Attribution, window: UsageWindow): Walk {
  const units = carriedUnits(fee, window);
  if (units.isZero() || needsAllEvents(fee)) return emptyWalk(fee);
  return { ...emptyWalk(fee), units: exactText(units), amount: exactText(attribution({ units, events: 0n })) };
}

/** What the total begins with: of a weighted sum weighed by all the time of the window. */
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
  /** What a price that looks at single events sees in it. */
  readonly worth: Decimal;
  readonly isLargest: boolean;
};

/** null: the event lacks what the metric counts. */
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
