/** The cost of each change of a total that is weighed by days: the parts of a prorated price. */
import type { Tier } from "../catalog/index.ts";
import { type Decimal, type Fraction, fraction, NOTHING, readExact, sum, ZERO } from "../money/index.ts";
import { enteredTiers } from "../rating/index.ts";
import { type Change, unitsFrom } from "../usage/index.ts";
import { type ExplainedFee, wholePricing } from "./explained-fee.ts";

/** In the order of the changes. A total that ends below zero costs nothing, so each change costs nothing. */
export function priceByDays({ pricing, derivation }: ExplainedFee, changes: readonly Change[]): Fraction[] {
  const { window } = derivation.quantity;
  const part = (days: number) => fraction(BigInt(days)).over(BigInt(window.periodDays));
  if (unitsFrom(derivation.quantity).lt(ZERO)) return changes.map(() => NOTHING);
  if (pricing.model === "graduated") return priceByTiers(pricing.tiers, changes, part);
  const priced = wholePricing(derivation.fee.pricing);
  const perUnit = priced.model === "prorated_units" ? readExact(priced.perUnit) : NOTHING;
  return changes.map(({ units, days }) => perUnit.times(units).times(part(days)));
}

/** Each change is priced by the tiers it passes. The first change that enters a tier bears its flat amount. */
function priceByTiers(
  tiers: readonly Tier[],
  changes: readonly Change[],
  part: (days: number) => Fraction,
): Fraction[] {
  let total: Decimal = ZERO;
  let highest: Decimal = ZERO;
  return changes.map(({ units, days }) => {
    const before = { total, highest };
    total = total.plus(units);
    if (total.gt(highest)) highest = total;
    const weighed = withoutFlats(tiers, total).minus(withoutFlats(tiers, before.total)).times(part(days));
    return weighed.plus(flatsOf(tiers, highest)).minus(flatsOf(tiers, before.highest));
  });
}

const withoutFlats = (tiers: readonly Tier[], units: Decimal): Fraction =>
  sum(enteredTiers(tiers, units).map(({ tier, units: inTier }) => inTier.times(tier.perUnit)));

const flatsOf = (tiers: readonly Tier[], units: Decimal): Fraction =>
  sum(enteredTiers(tiers, units).map(({ tier }) => tier.flat));
