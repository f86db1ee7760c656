// The rules of coupons, taxes, credit notes and wallets, each on its own, so that a fault in one does not affect the others.

import {
  floor,
  HUNDRED,
  isEqual,
  nearest,
  nearestAt,
  over,
  type Rational,
  rational,
  smaller,
  sum,
  times,
  whole,
  ZERO,
} from "./rational.ts";

export type TaxRate = { code: string; rate: string };

export type InvoiceFee = { cents: string; planCode: string; metricCode: string | null; taxes: TaxRate[] };

export type InvoiceCoupon = {
  kind: "fixed" | "percentage";
  /** The remaining amount of a coupon that is used once, otherwise its amount. */
  cents?: string;
  rate?: string;
  frequency: "once" | "recurring" | "forever";
  /** The number of invoices that a recurring coupon can still be used on. */
  remaining?: number;
  appliedAt: number;
  planCodes: string[] | null;
  metricCodes: string[] | null;
};

export type InvoiceNote = { balance: string; at: number };

/** The value of one credit in major units. */
export type InvoiceWallet = { balance: string; priority: number; at: number; rate: string };

/** A fee with what coupons left of it. */
export type Discounted = { amount: Rational; left: Rational };

/** The number of decimals of stored shares and credits. */
export const STORED_DECIMALS = 5;

const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const total = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

const breadth = ({ metricCodes, planCodes }: InvoiceCoupon): number => {
  if (metricCodes !== null) return 0;
  return planCodes === null ? 2 : 1;
};

const ON_AN_INVOICE = {
  /** Coupons for metrics first, then for plans, then the others; each group by time of application. */
  couponRanks: (coupon: InvoiceCoupon): number[] => [breadth(coupon), coupon.appliedAt],
  /** A coupon applies to what earlier coupons left of a fee. */
  couponBase: ({ left }: Discounted): Rational => left,
  /** In whole minor units, rounded once, never more than the base. */
  couponCredit: (requested: Rational, base: Rational): bigint => lesser(nearest(smaller(requested, base)), floor(base)),
  /** What a coupon leaves of a fee is exact. */
  leftOfFee: (exact: Rational): Rational => exact,
  /** Taxes come after coupons and before credit notes. */
  taxedBases: (fees: readonly Discounted[], _creditNotes: bigint): Rational[] => fees.map(({ left }) => left),
  /** The exact taxes of all fees are summed and rounded once. */
  invoiceTaxes: (exactByFee: readonly Rational[]): bigint => nearest(sum(exactByFee)),
  /** Credit notes pay before wallets. */
  payers: ["notes", "wallets"] as readonly ("notes" | "wallets")[],
  /** The oldest first. */
  noteRanks: ({ at }: InvoiceNote): number[] => [at],
  walletRanks: ({ priority, at }: InvoiceWallet): number[] => [priority, at],
  /** No more than the balance, and no more than the open amount. */
  noteUse: lesser,
  walletUse: lesser,
  /** The credits that an amount in major units is worth. */
  creditsOf: (amount: Rational, rate: Rational): Rational => nearestAt(over(amount, rate), STORED_DECIMALS),
};

const OF_CREDIT_NOTES = {
  /** An item gives back its share of the coupons on the fee. */
  couponPart: (share: Rational, part: Rational): Rational => times(share, part),
  /** What a note credits of a figure: no more than earlier notes left, and all of that if it credits the rest. */
  taken: (target: Rational, left: bigint, isRest: boolean): Rational =>
    isRest ? whole(left) : smaller(target, whole(left)),
  /** An amount is credited only once, even if its note was voided. */
  countsAsCredited: (_note: { isVoided: boolean }): boolean => true,
  /** A refund is limited to what was paid in money. */
  refundable: (creditable: bigint, paidByCredits: bigint): bigint =>
    creditable > paidByCredits ? creditable - paidByCredits : 0n,
};

const OF_A_CUSTOMER = {
  /** The first level that has taxes; levels never add up. */
  taxesOf: (levels: readonly TaxRate[][]): TaxRate[] => levels.find(({ length }) => length > 0) ?? [],
  /** Only a subscription invoice spends credits, and only when it is finalized. */
  isSpending: (form: "finalized" | "draft" | "one_off" | "credit"): boolean => form === "finalized",
  mayUseCoupon: ({ kind, isForeign }: { kind: string; isForeign: boolean }): boolean =>
    kind === "percentage" || !isForeign,
  mayUseNote: ({ isForeign, isOwn }: { isForeign: boolean; isOwn: boolean }): boolean => !isForeign && !isOwn,
  mayUseWallet: ({ isForeign, isOver }: { isForeign: boolean; isOver: boolean }): boolean => !isForeign && !isOver,
  /** An amount that is used once lasts until it is used up, over several invoices. */
  amountLeft: (amount: bigint, credits: readonly bigint[]): bigint => amount - total(credits),
  /** A use counts as one invoice, however little of the coupon it used. */
  usesLeft: (uses: number, credits: readonly bigint[], _amount: bigint): number => uses - credits.length,
  /** What a void gives back. */
  givenBack: ["coupons", "notes", "wallets"] as readonly ("coupons" | "notes" | "wallets")[],
  /** A used-up coupon becomes active again, unless it was withdrawn. */
  isRevived: (isWithdrawn: boolean): boolean => !isWithdrawn,
  /** A wallet that has ended gets nothing back. */
  returnsToWallet: (isOver: boolean): boolean => !isOver,
  /** Whether the balance of a wallet is lost when it ends. */
  losesRestAtEnd: (): boolean => true,
};

export const RULES = { ...ON_AN_INVOICE, ...OF_CREDIT_NOTES, ...OF_A_CUSTOMER };
export type CreditRules = typeof RULES;

/** Several taxes apply to the same base, never to each other. */
export const taxOn = (base: Rational, { rate }: TaxRate): Rational => times(base, over(rational(rate), HUNDRED));

/** The taxes on a list of bases, each with its bases. A code with two rates is two taxes. */
export function taxLinesOf(taxed: readonly { base: Rational; taxes: readonly TaxRate[] }[]) {
  const nameOf = ({ code, rate }: TaxRate): string => `${code} ${rate}`;
  const all = new Map(taxed.flatMap(({ taxes }) => taxes).map((tax) => [nameOf(tax), tax]));
  const names = [...all.keys()].sort((one, other) => (one < other ? -1 : 1));
  return names.flatMap((name) => {
    const tax = all.get(name);
    const bases = taxed.filter(({ taxes }) => taxes.some((other) => nameOf(other) === name)).map(({ base }) => base);
    return tax === undefined ? [] : [{ ...tax, bases, exact: taxOn(sum(bases), tax) }];
  });
}

/** The tax rate of a document, weighed by the share of each base; by the number of bases if all are 0. */
export function averageRate(taxed: readonly { base: Rational; taxes: readonly TaxRate[] }[]): Rational {
  const all = sum(taxed.map(({ base }) => base));
  const isNothing = isEqual(all, ZERO);
  const weightOf = (base: Rational): Rational => (isNothing ? over(whole(1), whole(taxed.length)) : over(base, all));
  const weighed = taxed.flatMap(({ base, taxes }) => taxes.map(({ rate }) => times(rational(rate), weightOf(base))));
  return nearestAt(sum(weighed), STORED_DECIMALS);
}
