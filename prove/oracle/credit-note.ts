// What a credit note gives back of an invoice.

import {
  averageRate,
  type CreditRules,
  RULES,
  STORED_DECIMALS,
  type TaxRate,
  taxLinesOf,
  taxOn,
} from "@tallystick/second-opinion/credit-rules";
import {
  cutAt,
  fromText,
  isEqual,
  minus,
  nearest,
  over,
  plus,
  type Rational,
  type RationalText,
  rational,
  sum,
  ZERO,
} from "@tallystick/second-opinion/rational";

/** What an invoice, or a note on it, comes to. */
export type CreditedFigures = {
  coupons: string;
  subTotal: string;
  taxes: string;
  taxLines: { code: string; rate: string; cents: string }[];
};

/** In text, for the notes that come after. */
export const creditedFigures = (
  coupons: bigint,
  { subTotalExcluding, taxes, taxLines }: Pick<CreditNoteResult, "subTotalExcluding" | "taxes" | "taxLines">,
): CreditedFigures => ({
  coupons: String(coupons),
  subTotal: String(subTotalExcluding),
  taxes: String(taxes),
  taxLines: taxLines.map(({ code, rate, cents }) => ({ code, rate, cents: String(cents) })),
});

export type CreditNoteCase = {
  fees: {
    cents: string;
    /** The fee's share of the coupons. */
    coupon: RationalText;
    taxes: TaxRate[];
    /** What earlier notes gave back of it. */
    credited: string;
  }[];
  invoice: CreditedFigures;
  earlierNotes: CreditedFigures[];
  items: { fee: number; cents: string }[];
};

export type CreditNoteResult = {
  couponsAdjustment: bigint;
  subTotalExcluding: bigint;
  taxes: bigint;
  taxesRate: Rational;
  total: bigint;
  /** What a caller expects who rounds only the total. */
  expected: bigint;
  /** Those that the items bear, by code and rate. */
  taxLines: { code: string; rate: string; base: bigint; cents: bigint }[];
  /** In whole minor units, and as they are stored. */
  items: { fee: number; cents: bigint; stored: Rational }[];
};

type Part = { coupons: Rational; base: Rational; taxes: TaxRate[] };
type Figure = "coupons" | "subTotal" | "taxes";

/** Whether, with this note, every fee of the invoice has been given back in full. */
const creditsTheRest = (c: CreditNoteCase): boolean =>
  c.fees.every(({ cents, credited }, index) => {
    const now = sum(c.items.filter(({ fee }) => fee === index).map((item) => rational(item.cents)));
    return isEqual(plus(rational(credited), now), rational(cents));
  });

function partOf(c: CreditNoteCase, item: CreditNoteCase["items"][number], rules: CreditRules): Part {
  const fee = c.fees[item.fee];
  if (fee === undefined) throw new Error(`no fee ${item.fee}`);
  const amount = rational(item.cents);
  const isNothing = isEqual(rational(fee.cents), ZERO);
  const coupons = isNothing ? ZERO : rules.couponPart(fromText(fee.coupon), over(amount, rational(fee.cents)));
  return { coupons, base: minus(amount, coupons), taxes: fee.taxes };
}

const exactOf: Readonly<Record<Figure, (parts: readonly Part[]) => Rational>> = {
  coupons: (parts) => sum(parts.map(({ coupons }) => coupons)),
  subTotal: (parts) => sum(parts.map(({ base }) => base)),
  taxes: (parts) => sum(parts.flatMap(({ base, taxes }) => taxes.map((tax) => taxOn(base, tax)))),
};

/** What earlier notes left of a figure. */
const leftOf = (c: CreditNoteCase, figure: Figure): bigint =>
  c.earlierNotes.reduce((left, note) => left - BigInt(note[figure]), BigInt(c.invoice[figure]));

/** What earlier notes left of a tax. */
function leftOfTax(c: CreditNoteCase, { code, rate }: TaxRate): bigint {
  const amountIn = ({ taxLines }: CreditedFigures): bigint =>
    BigInt(taxLines.find((line) => line.code === code && line.rate === rate)?.cents ?? "0");
  return c.earlierNotes.reduce((left, note) => left - amountIn(note), amountIn(c.invoice));
}

const inStore = (c: CreditNoteCase): CreditNoteResult["items"] =>
  c.items.map(({ fee, cents }) => {
    const { cents: amount = "0", credited = "0" } = c.fees[fee] ?? {};
    const [rounded, left] = [nearest(rational(cents)), BigInt(amount) - BigInt(credited)];
    return { fee, cents: rounded < left ? rounded : left, stored: cutAt(rational(cents), STORED_DECIMALS) };
  });

/** The note's amounts; its total is always sub-total plus taxes, which nudges a total rounded by itself by up to 1. */
export function oracleCreditNote(c: CreditNoteCase, rules: CreditRules = RULES): CreditNoteResult {
  const parts = c.items.map((item) => partOf(c, item, rules));
  const isRest = creditsTheRest(c);
  const taken = (figure: Figure): Rational => rules.taken(exactOf[figure](parts), leftOf(c, figure), isRest);
  const [subTotalExcluding, taxes] = [nearest(taken("subTotal")), nearest(taken("taxes"))];
  return {
    couponsAdjustment: nearest(taken("coupons")),
    subTotalExcluding,
    taxes,
    taxesRate: averageRate(parts),
    total: subTotalExcluding + taxes,
    expected: nearest(plus(taken("subTotal"), taken("taxes"))),
    taxLines: taxLinesOf(parts).map(({ code, rate, bases, exact }) => ({
      code,
      rate,
      base: nearest(sum(bases)),
      cents: nearest(rules.taken(exact, leftOfTax(c, { code, rate }), isRest)),
    })),
    items: inStore(c),
  };
}
