/** Prepaid credits and their value in money. Only whole minor units exist; credits follow them. */
import {
  type Currency,
  type Decimal,
  exactText,
  fraction,
  inMajorUnits,
  type Minor,
  minor,
  readableText,
  readExact,
  roundTo,
  roundToMinor,
  truncateTo,
} from "../money/index.ts";
import { amountText } from "./amount-text.ts";

/** What one credit is worth, in major units of the currency. */
export type CreditRate = { readonly rate: Decimal; readonly currency: Currency };

export type CreditsDerivation = {
  /** As requested, truncated to 5 decimals. */
  readonly credits: string;
  readonly rate: string;
  readonly currency: Currency;
  /** The existing balance, which need not be added. */
  readonly lessMinor: string;
  readonly amountMinor: string;
};

export type CreditsAmount = {
  readonly amountMinor: Minor;
  /** The value of the amount in credits, which may differ from the request. */
  readonly credits: Decimal;
  readonly derivation: CreditsDerivation;
};

const CREDIT_DIGITS = 5;

/** The money for credits, and the credits it is worth: 5 credits at 0.001 are 0.005, rounded to 0.01, so 10 credits. */
export function amountOfCredits(credits: Decimal, rate: CreditRate, lessMinor: Minor = minor(0n)): CreditsAmount {
  const cut = truncateTo(credits, CREDIT_DIGITS);
  const amountMinor = minor(roundToMinor(fraction(cut).times(rate.rate), rate.currency) - lessMinor);
  return {
    amountMinor,
    credits: creditsOf(amountMinor, rate),
    derivation: {
      credits: exactText(cut),
      rate: exactText(rate.rate),
      currency: rate.currency,
      lessMinor: String(lessMinor),
      amountMinor: String(amountMinor),
    },
  };
}

/** What an amount is worth in credits, to 5 decimals: 12.34 at a rate of 2 are 6.17. */
export const creditsOf = (amountMinor: Minor, { rate, currency }: CreditRate): Decimal =>
  roundTo(inMajorUnits(amountMinor, currency).over(rate), CREDIT_DIGITS);

/** The amount, recomputed from its derivation alone. */
export const creditsAmountFrom = ({ credits, rate, currency, lessMinor }: CreditsDerivation): Minor =>
  minor(roundToMinor(readExact(credits).times(readExact(rate)), currency) - BigInt(lessMinor));

/** One line: "5 credits × 0.001 = 0.005, rounded to 0.01 EUR". */
export function explainCredits(derivation: CreditsDerivation): string[] {
  const { credits, rate, currency, lessMinor, amountMinor } = derivation;
  const exact = readableText(readExact(credits).times(readExact(rate)));
  const shown = (digits: string): string => amountText(minor(BigInt(digits)), currency);
  const less = lessMinor === "0" ? "" : `, less ${shown(lessMinor)} that is there`;
  return [`${credits} credits × ${rate} = ${exact}${less}, rounded to ${shown(amountMinor)} ${currency}`];
}
