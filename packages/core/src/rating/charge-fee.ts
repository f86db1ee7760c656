/** The fee of one charge, filter and group: its amount, rounded once, with its full derivation. */
import {
  type Currency,
  type Decimal,
  exactText,
  type Fraction,
  fraction,
  greatest,
  inMinorUnits,
  type Minor,
  NOTHING,
  roundTo,
  roundToMinor,
  ZERO,
} from "../money/index.ts";
import { type AmountDerivation, amountFrom, type LessDaysDerivation } from "./derivation.ts";
import { paidUnits } from "./package.ts";
import type { Priced } from "./price-model.ts";

export type FeeDerivation = {
  readonly pricing: AmountDerivation;
  readonly currency: Currency;
  /** Before the one rounding, in major units. */
  readonly exact: string;
  readonly amountMinor: string;
};

export type ChargeFee = {
  /** Full units, never below 0. */
  readonly units: Decimal;
  readonly eventsCount: bigint;
  readonly amountMinor: Minor;
  /** Before rounding, in minor units. */
  readonly preciseAmountMinor: Fraction;
  /** The cost of one unit, in major units. */
  readonly preciseUnitAmount: Decimal;
  readonly derivation: FeeDerivation;
};

const UNIT_AMOUNT_DIGITS = 15;

/** Rounds a price to its fee: 100 units at 0.012345 EUR are 123 cents, 123.45 before rounding. */
export function chargeFee(
  priced: Priced<AmountDerivation>,
  used: { readonly units: Decimal; readonly eventsCount: bigint },
  currency: Currency,
): ChargeFee {
  const isNegative = used.units.lt(ZERO);
  const amount = isNegative ? NOTHING : greatest(priced.amount, NOTHING);
  const units = isNegative ? ZERO : used.units;
  const amountMinor = roundToMinor(amount, currency);
  return {
    units,
    eventsCount: used.eventsCount,
    amountMinor,
    preciseAmountMinor: inMinorUnits(amount, currency),
    preciseUnitAmount: unitAmount(amount, pricedUnits(priced.derivation, units)),
    derivation: {
      pricing: priced.derivation,
      currency,
      exact: exactText(amount),
      amountMinor: String(amountMinor),
    },
  };
}

/** A fee without the days of its units that another plan bills. */
export function feeLessDays(
  { pricing: whole, currency }: FeeDerivation,
  returned: Omit<LessDaysDerivation, "model" | "whole">,
  used: { readonly units: Decimal; readonly eventsCount: bigint },
): ChargeFee {
  const derivation: LessDaysDerivation = { model: "less_days", whole, ...returned };
  return chargeFee({ amount: amountFrom(derivation), derivation }, used, currency);
}

/** The fee's amount, recomputed from its derivation alone. */
export function feeAmountFrom({ pricing, currency }: FeeDerivation): Minor {
  return roundToMinor(greatest(amountFrom(pricing), NOTHING), currency);
}

const unitAmount = (amount: Fraction, units: Fraction): Decimal =>
  units.isZero() ? ZERO : roundTo(amount.over(units), UNIT_AMOUNT_DIGITS);

/** For packages, only the paid units count. */
function pricedUnits(derivation: AmountDerivation, units: Decimal): Fraction {
  const all = fraction(units);
  return derivation.model === "package" ? paidUnits(all, BigInt(derivation.freeUnits)) : all;
}
