/** The derivation of a credit note, as plain data from which its figures can be recomputed. */
import { type Currency, exactText, type Minor, readExact } from "../money/index.ts";
import {
  type CreditItem,
  creditPart,
  type NoteFigures,
  type NoteTerms,
  noteFigures,
  type Remaining,
} from "./credit-note-amounts.ts";
import { readMinor, readTax, type TaxStep, taxStep } from "./invoice-derivation.ts";

export type CreditItemStep = {
  readonly feeId: string;
  readonly label: string;
  readonly feeAmountMinor: string;
  readonly couponShare: string;
  readonly taxes: readonly TaxStep[];
  /** The credited part of the fee, before coupons and taxes; exact. */
  readonly amount: string;
};

export type CreditNoteDerivation = {
  readonly currency: Currency;
  readonly items: readonly CreditItemStep[];
  /** What earlier notes left of the invoice. */
  readonly remaining: Readonly<Record<keyof Remaining, string>>;
  readonly isRest: boolean;
  readonly figures: Readonly<Record<keyof NoteFigures, string>>;
};

type Steps = {
  readonly items: readonly CreditItem[];
  readonly terms: NoteTerms;
  readonly figures: NoteFigures;
};

/** Records the items of a note and their limits. */
export function creditNoteDerivation(currency: Currency, { items, terms, figures }: Steps): CreditNoteDerivation {
  return {
    currency,
    items: items.map(({ fee, amount }) => ({
      feeId: fee.id,
      label: fee.label,
      feeAmountMinor: String(fee.amountMinor),
      couponShare: exactText(fee.couponShare),
      taxes: fee.taxes.map(taxStep),
      amount: exactText(amount),
    })),
    remaining: inText(terms.remaining),
    isRest: terms.isRest,
    figures: { ...inText(figures), totalMinor: String(figures.totalMinor) },
  };
}

/** The figures of a note, from its derivation alone. */
export function noteFiguresFrom({ items, remaining, isRest }: CreditNoteDerivation): NoteFigures {
  return noteFigures({
    parts: items.map((item) => creditPart({ fee: readFee(item), amount: readExact(item.amount) })),
    remaining: {
      couponsMinor: readMinor(remaining.couponsMinor),
      subTotalExcludingTaxesMinor: readMinor(remaining.subTotalExcludingTaxesMinor),
      taxesMinor: readMinor(remaining.taxesMinor),
    },
    isRest,
  });
}

/** The fee an item credits, as the derivation knows it. */
const readFee = (item: CreditItemStep) => ({
  id: item.feeId,
  label: item.label,
  amountMinor: readMinor(item.feeAmountMinor),
  couponShare: readExact(item.couponShare),
  taxes: item.taxes.map(readTax),
});

const inText = (figures: Readonly<Record<keyof Remaining, Minor>>): Readonly<Record<keyof Remaining, string>> => ({
  couponsMinor: String(figures.couponsMinor),
  subTotalExcludingTaxesMinor: String(figures.subTotalExcludingTaxesMinor),
  taxesMinor: String(figures.taxesMinor),
});
