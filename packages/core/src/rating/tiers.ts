/** Tiers: which of them a total enters, and how many units are in each. */
import type { Tier } from "../catalog/index.ts";
import {
  type Exact,
  exactText,
  type Fraction,
  fraction,
  least,
  NOTHING,
  readableText,
  readExact,
} from "../money/index.ts";
import type { AmountDetails } from "./price-model.ts";
import { flatText } from "./words.ts";

type Bounds = { readonly from: bigint; readonly to: bigint | null };
type UnitsInTier<AnyTier> = { readonly tier: AnyTier; readonly units: Fraction };

/** The bounds and units of a tier in a derivation. `to` is null for the tier without an upper end. */
export type TierUnits = { readonly from: string; readonly to: string | null; readonly units: string };

/** Units inside one tier, at its price per unit and its flat amount. */
export type TierStep = TierUnits & { readonly perUnit: string; readonly flat: string };

/**
 * The tiers that a total enters, with the units inside each. A tier begins where the previous one ends. So the fraction of 10.5 units above
 * a tier 0–10 falls in the next one, whether that starts at 10 or at 11.
 */
export function enteredTiers<AnyTier extends Bounds>(tiers: readonly AnyTier[], units: Exact): UnitsInTier<AnyTier>[] {
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

/** The tier a total falls in; a total equal to a tier's end is still inside it. */
export function tierOf(tiers: readonly Tier[], units: Exact): Tier | undefined {
  return tiers.find(({ to }) => to === null || !fraction(units).isAbove(to));
}

export const tierUnits = ({ from, to }: Bounds, units: Fraction): TierUnits => ({
  from: String(from),
  to: to === null ? null : String(to),
  units: exactText(units),
});

export const tierStep = (tier: Tier, units: Fraction): TierStep => ({
  ...tierUnits(tier, units),
  perUnit: exactText(tier.perUnit),
  flat: exactText(tier.flat),
});

/** What the units of a tier cost with its flat amount. */
export const tierAmount = ({ units, perUnit, flat }: TierStep): Fraction =>
  readExact(units).times(readExact(perUnit)).plus(readExact(flat));

/** "0–10", or "21 and more". */
export const tierName = ({ from, to }: TierUnits): string => (to === null ? `${from} and more` : `${from}–${to}`);

/** "0–10: 10 × 10 + 2 = 102" */
export const explainTier = (tier: TierStep): string =>
  `${tierName(tier)}: ${tier.units} × ${tier.perUnit}${flatText(tier.flat)} = ${readableText(tierAmount(tier))}`;

/** The members of every kind of range; `total` includes its flat amount. */
export function rangeDetails(tier: TierUnits & { readonly flat: string }, total: Fraction) {
  return {
    units: tier.units,
    from_value: Number(tier.from),
    to_value: tier.to === null ? null : Number(tier.to),
    flat_unit_amount: tier.flat,
    per_unit_total_amount: exactText(total.minus(readExact(tier.flat))),
    total_with_flat_amount: exactText(total),
  } satisfies AmountDetails;
}
