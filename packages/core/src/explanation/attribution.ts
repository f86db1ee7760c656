/** The part of a price that is attributed to events. Flat amounts of the whole and roundings are lines of their own. */
import type { PercentagePricing } from "../catalog/index.ts";
import { decimal, exactText, type Fraction, fraction, NOTHING, readExact, ZERO } from "../money/index.ts";
import { type ChargedSoFar, chargedAtStart, chargeMore, price, priceSoFar } from "../rating/index.ts";
import { unitsFrom } from "../usage/index.ts";
import { type ExplainedFee, isTallied, wholePricing } from "./explained-fee.ts";

/** A total: its units, and the number of events that the price counts. */
export type Total = { readonly units: Fraction; readonly events: bigint };

/** The amount in major units to attribute for a total. The contribution of an event is the change it causes. */
export type Attribution = (total: Total) => Fraction;

/**
 * Standard prices, percentages, and volume prices at the final tier are the same for each unit. Tiers and packages are entered in order:
 * the event that enters a tier or opens a package bears its cost.
 */
export function attributionOf(fee: ExplainedFee): Attribution {
  const { pricing, derivation } = fee;
  if (derivation.type === "renewal" && pricing.model === "percentage") {
    return ({ units }) => priceSoFar(pricing, chargedAtStart(pricing, decimal(exactText(units)))).amount;
  }
  switch (pricing.model) {
    case "standard":
      return ({ units }) => units.times(pricing.amount);
    case "volume": {
      const perUnit = finalTierOf(fee).perUnit;
      return ({ units }) => units.times(perUnit);
    }
    case "percentage":
      return isTallied(fee) ? priceOfOnes(pricing) : shareOf(fee, pricing);
    default:
      return ({ units }) => price(pricing, { units, eventsCount: 0n, values: [] }).amount;
  }
}

/** Without units there is no percentage and no fixed amount. For a unique count, the number of events is its value. */
function shareOf({ aggregation, derivation }: ExplainedFee, { rate, fixedAmount }: PercentagePricing): Attribution {
  if (!unitsFrom(derivation.quantity).gt(ZERO)) return () => NOTHING;
  const isUnique = aggregation.type === "unique_count";
  return ({ units, events }) =>
    units
      .times(rate)
      .over(100n)
      .plus((isUnique ? units : fraction(events)).times(fixedAmount));
}

/** For a unique count, each value in use is an event worth 1. The price of each number of values is computed once. */
function priceOfOnes(pricing: PercentagePricing): Attribution {
  const tallies: ChargedSoFar[] = [chargedAtStart(pricing, ZERO)];
  const one = decimal("1");
  return ({ units }) => {
    const requested = Number(exactText(units));
    for (let last = tallies.at(-1); last !== undefined && tallies.length <= requested; last = tallies.at(-1)) {
      tallies.push(chargeMore(pricing, last, [one]));
    }
    const tally = tallies[requested];
    if (tally === undefined) throw new Error("As many values are in use as were added and not removed.");
    return priceSoFar(pricing, tally).amount;
  };
}

/** The final price per unit of a volume price, and its flat amount. */
export function finalTierOf({ derivation }: ExplainedFee): { readonly perUnit: Fraction; readonly flat: Fraction } {
  const pricing = wholePricing(derivation.fee.pricing);
  if (pricing.model !== "volume" || pricing.tier === null) return { perUnit: NOTHING, flat: NOTHING };
  return { perUnit: readExact(pricing.tier.perUnit), flat: readExact(pricing.tier.flat) };
}
