/** Graduated prices: each unit is priced by the tier it falls in; a tier's flat amount is due once it is entered. */
import type { PercentageTier, Tier } from "../catalog/index.ts";
import { type Decimal, decimal, exactText, type Fraction, fraction, least, NOTHING } from "../money/index.ts";
import type { PercentageTierStep, PricingDerivation, TierStep } from "./derivation.ts";
import type { Priced } from "./priced.ts";

type Bounds = { readonly from: bigint; readonly to: bigint | null };
type UnitsInTier<AnyTier> = { readonly tier: AnyTier; readonly units: Fraction };

const ONE_PERCENT = decimal("0.01");

/** 11 units over 0–10 at 10 + 2 and 11–20 at 5 + 3 cost 102 + 8. */
export function rateGraduated(tiers: readonly Tier[], units: Decimal): Priced<PricingDerivation> {
  let amount = NOTHING;
  const steps: TierStep[] = [];
  for (const { tier, units: inTier } of enteredTiers(tiers, units)) {
    amount = amount.plus(inTier.times(tier.perUnit)).plus(tier.flat);
    steps.push(tierStep(tier, inTier));
  }
  return { amount, derivation: { model: "graduated", tiers: steps } };
}

/** 11 units over 0–10 at 1 % + 200 and 11–20 at 2 % + 300 cost 200.10 + 300.02. */
export function rateGraduatedPercentage(tiers: readonly PercentageTier[], units: Decimal): Priced<PricingDerivation> {
  let amount = NOTHING;
  const steps: PercentageTierStep[] = [];
  for (const { tier, units: inTier } of enteredTiers(tiers, units)) {
    amount = amount.plus(inTier.times(tier.rate).times(ONE_PERCENT)).plus(tier.flat);
    const { from, to, rate, flat } = tier;
    steps.push({ ...boundsText({ from, to }), units: exactText(inTier), rate: exactText(rate), flat: exactText(flat) });
  }
  return { amount, derivation: { model: "graduated_percentage", tiers: steps } };
}

/**
 * The tiers that a total enters, with the units inside each. A tier begins where the one before ends, so the fraction of
 * 10.5 units above a tier 0–10 falls in the next one, whether that is written from 10 or from 11.
 */
export function enteredTiers<AnyTier extends Bounds>(
  tiers: readonly AnyTier[],
  units: Decimal,
): UnitsInTier<AnyTier>[] {
  const total = fraction(units);
  const entered: UnitsInTier<AnyTier>[] = [];
  let floor = NOTHING;
  for (const tier of tiers) {
    if (!total.isAbove(floor)) break;
    const top = tier.to === null ? total : least(total, fraction(tier.to));
    entered.push({ tier, units: top.minus(floor) });
    floor = top;
  }
  return entered;
}

/** One tier and its units for a derivation. */
export function tierStep(tier: Tier, units: Fraction): TierStep {
  return {
    ...boundsText(tier),
    units: exactText(units),
    perUnit: exactText(tier.perUnit),
    flat: exactText(tier.flat),
  };
}

const boundsText = ({ from, to }: Bounds) => ({ from: String(from), to: to === null ? null : String(to) });
