/** The price of one event billed at once: the cost of all events so far with it, less their cost without it. */
import type { Pricing } from "../catalog/index.ts";
import { ceilTo, type Decimal, decimal, exactText, fraction, readExact, sumDecimals, ZERO } from "../money/index.ts";
import type { InAdvanceDerivation } from "./derivation.ts";
import { atLeastZero, type PricingDerivation, price } from "./models.ts";
import { addToTally, EMPTY_TALLY, type PercentageTally, priceOfTally } from "./percentage-tally.ts";
import type { Priced } from "./price-model.ts";
import { type ProratedDerivation, priceUnits } from "./prorated.ts";

/** What was charged in this period so far. It is plain data, so that a row can store it between two events. */
export type ChargedSoFar =
  | { readonly model: "by_units"; readonly units: string }
  | { readonly model: "percentage"; readonly tally: TallyText };

/** A tally as text, member by member. */
type TallyText = {
  readonly units: string;
  readonly events: string;
  readonly unitsOfFreeEvents: string;
  readonly eventsBelowFreeUnits: string;
  readonly walk: {
    readonly isFreeUsedUp: boolean;
    readonly freeUnits: string;
    readonly freeEvents: string;
    readonly paid: string;
  };
};

/** The start of a period: nothing, or for a recurring metric the total that its renewal billed. A total below zero was not billed. */
export function chargedAtStart(pricing: Pricing, carried: Decimal): ChargedSoFar {
  if (pricing.model !== "percentage") return { model: "by_units", units: exactText(atLeastZero(carried)) };
  return tallied(carried.gt(ZERO) ? addToTally(pricing, EMPTY_TALLY, carried) : EMPTY_TALLY);
}

/** The cost of everything charged so far. */
export function priceSoFar(pricing: Pricing, soFar: ChargedSoFar): Priced<PricingDerivation> {
  if (soFar.model === "by_units") return price(pricing, { units: decimal(soFar.units), eventsCount: 0n, values: [] });
  if (pricing.model !== "percentage") throw new Error(`A tally of percentages cannot be priced as ${pricing.model}.`);
  return priceOfTally(pricing, readTally(soFar.tally));
}

/**
 * The price of one more event. An event without units above the maximum so far (a decrease, a free re-add) costs nothing and is not
 * counted.
 */
export function priceNext(
  pricing: Pricing,
  soFar: ChargedSoFar,
  charged: Decimal,
): Priced<InAdvanceDerivation> & { readonly soFar: ChargedSoFar } {
  const after = charged.gt(ZERO) ? chargeMore(pricing, soFar, [charged]) : soFar;
  const before = priceSoFar(pricing, soFar);
  const then = priceSoFar(pricing, after);
  return {
    amount: then.amount.minus(before.amount),
    derivation: { model: "in_advance", without: before.derivation, with: then.derivation },
    soFar: after,
  };
}

/** The remaining days of a full period. */
type DaysLeft = { readonly left: number; readonly ofPeriod: number };

/** Units added inside a period are weighed by its remaining days, rounded up at 5 decimals. Only standard prices allow it. */
export function priceNextProrated(perUnit: Decimal, charged: Decimal, days: DaysLeft): Priced<ProratedDerivation> {
  return priceUnits({ fullUnits: charged, proratedUnits: weighedUnits(charged, days) }, { perUnit, flat: ZERO });
}

export function weighedUnits(charged: Decimal, { left, ofPeriod }: DaysLeft): Decimal {
  return ceilTo(fraction(charged).times(BigInt(left)).over(BigInt(ofPeriod)), 5);
}

/** The charged units so far, plus the units of each event above the maximum. */
export function chargeMore(pricing: Pricing, soFar: ChargedSoFar, charged: readonly Decimal[]): ChargedSoFar {
  if (soFar.model === "by_units") {
    return { model: "by_units", units: exactText(sumDecimals([decimal(soFar.units), ...charged])) };
  }
  if (pricing.model !== "percentage") throw new Error(`A tally of percentages cannot be priced as ${pricing.model}.`);
  return tallied(charged.reduce((tally, units) => addToTally(pricing, tally, units), readTally(soFar.tally)));
}

function tallied({ units, events, unitsOfFreeEvents, eventsBelowFreeUnits, walk }: PercentageTally): ChargedSoFar {
  return {
    model: "percentage",
    tally: {
      units: exactText(units),
      events: String(events),
      unitsOfFreeEvents: exactText(unitsOfFreeEvents),
      eventsBelowFreeUnits: String(eventsBelowFreeUnits),
      walk: {
        isFreeUsedUp: walk.isFreeUsedUp,
        freeUnits: exactText(walk.freeUnits),
        freeEvents: String(walk.freeEvents),
        paid: exactText(walk.paid),
      },
    },
  };
}

const readTally = ({ units, events, unitsOfFreeEvents, eventsBelowFreeUnits, walk }: TallyText): PercentageTally => ({
  units: readExact(units),
  events: BigInt(events),
  unitsOfFreeEvents: readExact(unitsOfFreeEvents),
  eventsBelowFreeUnits: BigInt(eventsBelowFreeUnits),
  walk: {
    isFreeUsedUp: walk.isFreeUsedUp,
    freeUnits: readExact(walk.freeUnits),
    freeEvents: BigInt(walk.freeEvents),
    paid: readExact(walk.paid),
  },
});
