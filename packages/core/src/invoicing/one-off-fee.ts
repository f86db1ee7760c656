/** A fee for an add-on, outside any subscription. */
import {
  type Currency,
  type Decimal,
  decimal,
  exactText,
  fraction,
  greatest,
  type Minor,
  NOTHING,
  readExact,
  roundMinor,
  ZERO,
} from "../money/index.ts";
import { amountText, exactAmountText } from "./amount-text.ts";
import { readMinor } from "./invoice-derivation.ts";

export type OneOffInput = {
  readonly currency: Currency;
  readonly addOnAmountMinor: Minor;
  /** null: the price of the add-on. */
  readonly unitAmountMinor: Minor | null;
  /** null: 1. */
  readonly units: Decimal | null;
};

export type OneOffDerivation = {
  readonly currency: Currency;
  readonly unitAmountMinor: string;
  readonly units: string;
  readonly amountMinor: string;
};

export type OneOffFee = {
  readonly units: Decimal;
  readonly unitAmountMinor: Minor;
  readonly amountMinor: Minor;
  readonly derivation: OneOffDerivation;
};

/** Units at a price, rounded once: 1.5 units at 3.33 are 4.995, so 5.00. A fee is never below zero. */
export function oneOffFee({ currency, addOnAmountMinor, unitAmountMinor, units }: OneOffInput): OneOffFee {
  const price = unitAmountMinor ?? addOnAmountMinor;
  const requested = units ?? decimal("1");
  const billed = requested.lt(ZERO) ? ZERO : requested;
  const amountMinor = roundMinor(greatest(fraction(price).times(billed), NOTHING));
  return {
    units: billed,
    unitAmountMinor: price,
    amountMinor,
    derivation: {
      currency,
      unitAmountMinor: String(price),
      units: exactText(billed),
      amountMinor: String(amountMinor),
    },
  };
}

/** The amount, recomputed from its derivation alone. */
export const oneOffAmountFrom = ({ unitAmountMinor, units }: OneOffDerivation): Minor =>
  roundMinor(greatest(readExact(unitAmountMinor).times(readExact(units)), NOTHING));

/** One line: "1.5 × 3.33 = 4.995, rounded to 5.00 EUR". */
export function explainOneOff({ currency, unitAmountMinor, units, amountMinor }: OneOffDerivation): string[] {
  const exact = exactAmountText(readExact(unitAmountMinor).times(readExact(units)), currency);
  const price = amountText(readMinor(unitAmountMinor), currency);
  return [`${units} × ${price} = ${exact}, rounded to ${amountText(readMinor(amountMinor), currency)} ${currency}`];
}
