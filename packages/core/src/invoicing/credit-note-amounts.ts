/** The arithmetic of credit notes: an item gives back its share of the fee, its coupons and its taxes. */
import {
  type Currency,
  type Fraction,
  fraction,
  least,
  type Minor,
  minor,
  NOTHING,
  roundMinor,
  sum,
  sumMinor,
} from "../money/index.ts";
import type { Tax } from "./fee.ts";
import type { InvoiceFigures } from "./invoice-figures.ts";
import { type TaxedBase, taxOn } from "./tax.ts";

/** A tax of a document in whole minor units. */
export type TaxAmount = { readonly tax: Tax; readonly amountMinor: Minor };

/** A fee of an issued invoice, with its taxes at that time. */
export type CreditedFee = {
  readonly id: string;
  readonly label: string;
  readonly amountMinor: Minor;
  readonly couponShare: Fraction;
  readonly taxes: readonly Tax[];
  /** The sum of the items of earlier notes on it. */
  readonly creditedMinor: Minor;
};

export type NoteFigures = {
  readonly couponsMinor: Minor;
  readonly subTotalExcludingTaxesMinor: Minor;
  readonly taxesMinor: Minor;
  readonly totalMinor: Minor;
};

export type CreditedInvoice = {
  readonly currency: Currency;
  readonly fees: readonly CreditedFee[];
  readonly figures: InvoiceFigures;
  readonly taxLines: readonly TaxAmount[];
  /** Every earlier note, including voided ones: an amount is credited only once. */
  readonly earlierNotes: readonly (NoteFigures & { readonly taxLines: readonly TaxAmount[] })[];
};

/** A part of a fee, before taxes. An automatic note can credit a fraction of a cent. */
export type CreditItem = { readonly fee: CreditedFee; readonly amount: Fraction };

/** What an item gives back. */
export type CreditPart = TaxedBase & { readonly couponPart: Fraction };

/** What earlier notes left of an invoice. */
export type Remaining = Omit<NoteFigures, "totalMinor">;

/** All inputs of the figures of a note. */
export type NoteTerms = {
  readonly parts: readonly CreditPart[];
  readonly remaining: Remaining;
  /** True if nothing can be credited after this note. */
  readonly isRest: boolean;
};

/** Half of a fee of 100.00 with a coupon of 10.00 gives back 45.00, and the taxes on it. */
export function creditPart({ fee, amount }: { fee: Omit<CreditedFee, "creditedMinor">; amount: Fraction }): CreditPart {
  const couponPart = fee.amountMinor === 0n ? NOTHING : fee.couponShare.times(amount).over(fee.amountMinor);
  return { couponPart, base: amount.minus(couponPart), taxes: fee.taxes };
}

/**
 * Each figure is rounded on its own, and the total is their sum: 19333.33 and 4833.33 are 19333 + 4833 = 24166. A note takes no more than
 * earlier notes left of a figure, and the note that credits the rest takes exactly the rest. So the notes of an invoice never exceed the
 * invoice.
 */
export function noteFigures(terms: NoteTerms): NoteFigures {
  const { excluding, taxes } = exactFigures(terms);
  const coupons = sum(terms.parts.map(({ couponPart }) => couponPart));
  const subTotalExcludingTaxesMinor = roundMinor(excluding);
  const taxesMinor = roundMinor(taxes);
  return {
    couponsMinor: roundMinor(withinRemaining(coupons, terms.remaining.couponsMinor, terms.isRest)),
    subTotalExcludingTaxesMinor,
    taxesMinor,
    totalMinor: minor(subTotalExcludingTaxesMinor + taxesMinor),
  };
}

/** The total that a caller who rounds only once expects. */
export function expectedTotal(terms: NoteTerms): Minor {
  const { excluding, taxes } = exactFigures(terms);
  return roundMinor(excluding.plus(taxes));
}

function exactFigures({ parts, remaining, isRest }: NoteTerms): { excluding: Fraction; taxes: Fraction } {
  const excluding = sum(parts.map(({ base }) => base));
  const taxes = sum(parts.flatMap(({ base, taxes }) => taxes.map((tax) => taxOn(base, tax))));
  return {
    excluding: withinRemaining(excluding, remaining.subTotalExcludingTaxesMinor, isRest),
    taxes: withinRemaining(taxes, remaining.taxesMinor, isRest),
  };
}

/** A share of a figure, no larger than its rest; the whole rest for the last note. */
export const withinRemaining = (exact: Fraction, remainingMinor: Minor, isRest: boolean): Fraction =>
  isRest ? fraction(remainingMinor) : least(exact, fraction(remainingMinor));

/** The figures of an invoice less those of its notes. */
export function remainingOf({ figures, earlierNotes }: CreditedInvoice): Remaining {
  const left = (figure: keyof Remaining): Minor =>
    minor(figures[figure] - sumMinor(earlierNotes.map((note) => note[figure])));
  return {
    couponsMinor: left("couponsMinor"),
    subTotalExcludingTaxesMinor: left("subTotalExcludingTaxesMinor"),
    taxesMinor: left("taxesMinor"),
  };
}

/** The requested amount for each fee, by its id: several items may name one fee. */
export function creditedByFee(items: readonly CreditItem[]): ReadonlyMap<string, Fraction> {
  const byFee = Map.groupBy(items, ({ fee }) => fee.id);
  return new Map([...byFee].map(([id, ofFee]) => [id, sum(ofFee.map(({ amount }) => amount))]));
}

/** True if the items credit all that earlier notes left of every fee. */
export function creditsTheRest(fees: readonly CreditedFee[], items: readonly CreditItem[]): boolean {
  const credited = creditedByFee(items);
  return fees.every(({ id, amountMinor, creditedMinor }) =>
    (credited.get(id) ?? NOTHING).plus(creditedMinor).equals(amountMinor),
  );
}
