// What a credit note gives back of an invoice.

import type { TaxRate } from "./invoice.ts";
import {
  fromText,
  HUNDRED,
  isEqual,
  minus,
  nearest,
  over,
  plus,
  type Rational,
  type RationalText,
  rational,
  sum,
  times,
  ZERO,
} from "./rational.ts";

export type CreditNoteCase = {
  fees: {
    cents: string;
    /** The fee's exact share of the coupons. */
    coupon: RationalText;
    taxes: TaxRate[];
    /** What earlier notes gave back of it. */
    credited: string;
  }[];
  /** What earlier notes came to. */
  earlierNotes: { coupons: string; subTotal: string; taxes: string }[];
  items: { fee: number; cents: string }[];
};

export type CreditNoteResult = {
  couponsAdjustment: bigint;
  subTotalExcluding: bigint;
  taxes: bigint;
  total: bigint;
};

type Figures = { coupons: Rational; subTotal: Rational; taxes: Rational };
type Item = CreditNoteCase["items"][number];

/** Whether, with this note, every fee of the invoice has been given back in full. */
const creditsTheRest = (c: CreditNoteCase): boolean =>
  c.fees.every(({ cents, credited }, index) => {
    const now = sum(c.items.filter(({ fee }) => fee === index).map((item) => rational(item.cents)));
    return isEqual(plus(rational(credited), now), rational(cents));
  });

function exactItem(c: CreditNoteCase, item: Item): Figures {
  const fee = c.fees[item.fee];
  if (fee === undefined) throw new Error(`no fee ${item.fee}`);
  const amount = rational(item.cents);
  const isNothing = isEqual(rational(fee.cents), ZERO);
  const coupons = isNothing ? ZERO : times(fromText(fee.coupon), over(amount, rational(fee.cents)));
  const subTotal = minus(amount, coupons);
  const taxes = sum(fee.taxes.map(({ rate }) => times(subTotal, over(rational(rate), HUNDRED))));
  return { coupons, subTotal, taxes };
}

/** The same figure of several items. */
const figureOf = (c: CreditNoteCase, items: readonly Item[], figure: keyof Figures): Rational =>
  sum(items.map((item) => exactItem(c, item)[figure]));

/** A note never takes more of a figure than earlier notes left of it, and the one that credits the rest takes all of that. */
function takenOf(c: CreditNoteCase, figure: keyof Figures): bigint {
  const wholeInvoice = c.fees.map(({ cents }, fee) => ({ fee, cents }));
  const before = c.earlierNotes.reduce((all, note) => all + BigInt(note[figure]), 0n);
  const left = nearest(figureOf(c, wholeInvoice, figure)) - before;
  const wanted = nearest(figureOf(c, c.items, figure));
  return creditsTheRest(c) || wanted > left ? left : wanted;
}

/** The note's amounts; its total is always sub-total plus taxes, which nudges a total rounded by itself by up to 1. */
export function oracleCreditNote(c: CreditNoteCase): CreditNoteResult {
  const subTotalExcluding = takenOf(c, "subTotal");
  const taxes = takenOf(c, "taxes");
  return { couponsAdjustment: takenOf(c, "coupons"), subTotalExcluding, taxes, total: subTotalExcluding + taxes };
}
