// From fees to the total of an invoice: coupons, taxes, credit notes, prepaid credits.

import {
  averageRate,
  type CreditRules,
  type Discounted,
  type InvoiceCoupon,
  type InvoiceFee,
  type InvoiceNote,
  type InvoiceWallet,
  RULES,
  taxLinesOf,
  taxOn,
} from "./credit-rules.ts";
import {
  HUNDRED,
  isBelow,
  minus,
  nearest,
  over,
  type Rational,
  ratio,
  rational,
  sum,
  times,
  whole,
  ZERO,
} from "./rational.ts";

export type InvoiceCase = {
  digits: number;
  fees: InvoiceFee[];
  coupons: InvoiceCoupon[];
  creditNotes: InvoiceNote[];
  wallets: InvoiceWallet[];
};

export type InvoiceResult = {
  coupons: bigint;
  couponUse: bigint[];
  shares: Rational[];
  feeTaxes: bigint[];
  /** The taxes of each fee, one by one. */
  feeTaxLines: bigint[][];
  /** By code and rate. */
  taxLines: { code: string; rate: string; base: bigint; cents: bigint }[];
  taxes: bigint;
  taxesRate: Rational;
  creditNotes: bigint;
  creditNoteUse: bigint[];
  prepaid: bigint;
  walletUse: bigint[];
  /** The use of each wallet, in its credits. */
  walletCredits: Rational[];
  total: bigint;
  subTotalExcluding: bigint;
  subTotalIncluding: bigint;
};

/** The positions of a list, sorted by several ranks; equal items keep their order. */
function inOrder<Item>(items: readonly Item[], ranks: (item: Item) => number[]): number[] {
  const precedes = (a: number[], b: number[]): number => {
    const differing = a.findIndex((rank, index) => rank !== b[index]);
    return differing === -1 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
  };
  const ranked = items.map((item, index) => ({ index, ranks: [...ranks(item), index] }));
  return ranked.sort((a, b) => precedes(a.ranks, b.ranks)).map(({ index }) => index);
}

const isTarget = ({ metricCodes, planCodes }: InvoiceCoupon, fee: InvoiceFee): boolean => {
  if (metricCodes !== null) return fee.metricCode !== null && metricCodes.includes(fee.metricCode);
  return planCodes === null || planCodes.includes(fee.planCode);
};

const requestedBy = (coupon: InvoiceCoupon, base: Rational): Rational =>
  coupon.kind === "percentage"
    ? times(base, over(rational(coupon.rate ?? "0"), HUNDRED))
    : rational(coupon.cents ?? "0");

/** What coupons leave of each fee: every coupon reduces all its fees by the same factor. */
function applyCoupons(c: InvoiceCase, rules: CreditRules): { fees: Discounted[]; couponUse: bigint[] } {
  let fees = c.fees.map(({ cents }): Discounted => ({ amount: rational(cents), left: rational(cents) }));
  const couponUse = c.coupons.map(() => 0n);
  for (const index of inOrder(c.coupons, rules.couponRanks)) {
    const coupon = c.coupons[index];
    if (coupon === undefined || (coupon.frequency === "recurring" && coupon.remaining === 0)) continue;
    const isMeant = c.fees.map((fee) => isTarget(coupon, fee));
    const base = sum(fees.filter((_, position) => isMeant[position]).map(rules.couponBase));
    if (!isBelow(ZERO, base)) continue;
    const credit = rules.couponCredit(requestedBy(coupon, base), base);
    const factor = over(minus(base, whole(credit)), base);
    fees = fees.map((fee, position) =>
      isMeant[position] ? { ...fee, left: rules.leftOfFee(times(fee.left, factor)) } : fee,
    );
    couponUse[index] = credit;
  }
  return { fees, couponUse };
}

/** The exact taxes of each fee, and the invoice's. */
function taxesOn(c: InvoiceCase, bases: readonly Rational[], rules: CreditRules) {
  const taxed = c.fees.map(({ taxes }, fee) => ({ base: bases[fee] ?? ZERO, taxes }));
  const exact = taxed.map(({ base, taxes }) => taxes.map((tax) => taxOn(base, tax)));
  return {
    feeTaxes: exact.map((taxes) => nearest(sum(taxes))),
    feeTaxLines: exact.map((taxes) => taxes.map(nearest)),
    taxLines: taxLinesOf(taxed).map(({ code, rate, bases: bearing, exact: amount }) => ({
      code,
      rate,
      base: nearest(sum(bearing)),
      cents: nearest(amount),
    })),
    taxes: rules.invoiceTaxes(exact.map(sum)),
    taxesRate: averageRate(taxed),
  };
}

type Use = (balance: bigint, open: bigint) => bigint;

/** Takes from balances in order until the amount is covered. */
function draw(amount: bigint, balances: readonly bigint[], order: readonly number[], used: Use): bigint[] {
  const uses = balances.map(() => 0n);
  let open = amount;
  for (const index of order) {
    const use = used(balances[index] ?? 0n, open);
    uses[index] = use;
    open -= use;
  }
  return uses;
}

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

const balancesOf = (holders: readonly { balance: string }[]): bigint[] => holders.map(({ balance }) => BigInt(balance));

function pay(c: InvoiceCase, owed: bigint, rules: CreditRules): { notes: bigint[]; wallets: bigint[] } {
  const drawFrom = {
    notes: (open: bigint) =>
      draw(open, balancesOf(c.creditNotes), inOrder(c.creditNotes, rules.noteRanks), rules.noteUse),
    wallets: (open: bigint) =>
      draw(open, balancesOf(c.wallets), inOrder(c.wallets, rules.walletRanks), rules.walletUse),
  };
  const uses: { notes: bigint[]; wallets: bigint[] } = { notes: [], wallets: [] };
  for (const payer of rules.payers) uses[payer] = drawFrom[payer](owed - total([...uses.notes, ...uses.wallets]));
  return uses;
}

/** The whole computation from fees to the amount due. */
export function oracleInvoice(c: InvoiceCase, rules: CreditRules = RULES): InvoiceResult {
  const { fees, couponUse } = applyCoupons(c, rules);
  const coupons = total(couponUse);
  const taxation = taxesOn(c, rules.taxedBases(fees, total(balancesOf(c.creditNotes))), rules);
  const subTotalExcluding = total(c.fees.map(({ cents }) => BigInt(cents))) - coupons;
  const subTotalIncluding = subTotalExcluding + taxation.taxes;
  const { notes: creditNoteUse, wallets: walletUse } = pay(c, subTotalIncluding, rules);
  const inMajorUnits = (use: bigint): Rational => ratio(use, 10n ** BigInt(c.digits));
  return {
    coupons,
    couponUse,
    shares: fees.map(({ amount, left }) => minus(amount, left)),
    ...taxation,
    creditNotes: total(creditNoteUse),
    creditNoteUse,
    prepaid: total(walletUse),
    walletUse,
    walletCredits: c.wallets.map(({ rate }, index) =>
      rules.creditsOf(inMajorUnits(walletUse[index] ?? 0n), rational(rate)),
    ),
    total: subTotalIncluding - total(creditNoteUse) - total(walletUse),
    subTotalExcluding,
    subTotalIncluding,
  };
}
