// From fees to the total of an invoice: coupons, taxes, credit notes, prepaid credits.

import {
  floor,
  HUNDRED,
  isBelow,
  minus,
  nearest,
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
  /** What is left of a coupon that is used once, otherwise its amount. */
  cents?: string;
  rate?: string;
  frequency: "once" | "recurring" | "forever";
  /** Invoices that a recurring coupon still has. */
  remaining?: number;
  appliedAt: number;
  planCodes: string[] | null;
  metricCodes: string[] | null;
};

export type InvoiceCase = {
  digits: number;
  fees: InvoiceFee[];
  coupons: InvoiceCoupon[];
  creditNotes: { balance: string; at: number }[];
  wallets: { balance: string; priority: number; at: number }[];
};

export type InvoiceResult = {
  coupons: bigint;
  couponUse: bigint[];
  shares: Rational[];
  feeTaxes: bigint[];
  taxLines: { code: string; cents: bigint }[];
  taxes: bigint;
  creditNotes: bigint;
  creditNoteUse: bigint[];
  prepaid: bigint;
  walletUse: bigint[];
  total: bigint;
  subTotalExcluding: bigint;
  subTotalIncluding: bigint;
};

/** The positions of a list in the order of some ranks, compared from the first rank on; equal ones as they came. */
function inOrder<Item>(items: readonly Item[], ranks: (item: Item) => number[]): number[] {
  const precedes = (a: number[], b: number[]): number => {
    const differing = a.findIndex((rank, index) => rank !== b[index]);
    return differing === -1 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
  };
  const ranked = items.map((item, index) => ({ index, ranks: [...ranks(item), index] }));
  return ranked.sort((a, b) => precedes(a.ranks, b.ranks)).map(({ index }) => index);
}

const breadth = ({ metricCodes, planCodes }: InvoiceCoupon): number => {
  if (metricCodes !== null) return 0;
  return planCodes === null ? 2 : 1;
};

const isTarget = ({ metricCodes, planCodes }: InvoiceCoupon, fee: InvoiceFee): boolean => {
  if (metricCodes !== null) return fee.metricCode !== null && metricCodes.includes(fee.metricCode);
  return planCodes === null || planCodes.includes(fee.planCode);
};

/** What a coupon takes from a base: whole minor units, rounded once, never more than the base. */
function creditOn(coupon: InvoiceCoupon, base: Rational): bigint {
  const asked =
    coupon.kind === "percentage"
      ? times(base, over(rational(coupon.rate ?? "0"), HUNDRED))
      : rational(coupon.cents ?? "0");
  const rounded = nearest(smaller(asked, base));
  const most = floor(base);
  return rounded > most ? most : rounded;
}

/** What coupons leave of each fee: every coupon shrinks all fees it is meant for by the same factor. */
function applyCoupons(c: InvoiceCase): { left: Rational[]; couponUse: bigint[] } {
  let left = c.fees.map(({ cents }) => rational(cents));
  const couponUse = c.coupons.map(() => 0n);
  for (const index of inOrder(c.coupons, (coupon) => [breadth(coupon), coupon.appliedAt])) {
    const coupon = c.coupons[index];
    if (coupon === undefined || (coupon.frequency === "recurring" && coupon.remaining === 0)) continue;
    const isMeant = c.fees.map((fee) => isTarget(coupon, fee));
    const base = sum(left.filter((_, position) => isMeant[position]));
    if (!isBelow(ZERO, base)) continue;
    const credit = creditOn(coupon, base);
    const factor = over(minus(base, whole(credit)), base);
    left = left.map((amount, position) => (isMeant[position] ? times(amount, factor) : amount));
    couponUse[index] = credit;
  }
  return { left, couponUse };
}

const taxOn = (base: Rational, { rate }: TaxRate): Rational => times(base, over(rational(rate), HUNDRED));

/** The exact taxes of each fee, and the invoice's, which are never a sum of rounded ones. */
function taxesOn(fees: readonly InvoiceFee[], bases: readonly Rational[]) {
  const exact = fees.flatMap(({ taxes }, fee) =>
    taxes.map((tax) => ({ fee, code: tax.code, amount: taxOn(bases[fee] ?? ZERO, tax) })),
  );
  const rounded = (chosen: typeof exact): bigint => nearest(sum(chosen.map(({ amount }) => amount)));
  const codes = [...new Set(exact.map(({ code }) => code))];
  return {
    feeTaxes: fees.map((_, index) => rounded(exact.filter(({ fee }) => fee === index))),
    taxLines: codes.map((code) => ({ code, cents: rounded(exact.filter((tax) => tax.code === code)) })),
    taxes: rounded(exact),
  };
}

/** Takes from balances in order until the amount is covered. */
function draw(amount: bigint, balances: readonly string[], order: readonly number[]): bigint[] {
  const uses = balances.map(() => 0n);
  let open = amount;
  for (const index of order) {
    const balance = BigInt(balances[index] ?? "0");
    const use = balance < open ? balance : open;
    uses[index] = use;
    open -= use;
  }
  return uses;
}

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

const balancesOf = (holders: readonly { balance: string }[]): string[] => holders.map(({ balance }) => balance);

/** The whole course from fees to what is left to pay. */
export function oracleInvoice(c: InvoiceCase): InvoiceResult {
  const { left, couponUse } = applyCoupons(c);
  const coupons = total(couponUse);
  const { feeTaxes, taxLines, taxes } = taxesOn(c.fees, left);
  const subTotalExcluding = total(c.fees.map(({ cents }) => BigInt(cents))) - coupons;
  const subTotalIncluding = subTotalExcluding + taxes;
  const oldestFirst = inOrder(c.creditNotes, ({ at }) => [at]);
  const creditNoteUse = draw(subTotalIncluding, balancesOf(c.creditNotes), oldestFirst);
  const afterNotes = subTotalIncluding - total(creditNoteUse);
  const firstWallets = inOrder(c.wallets, ({ priority, at }) => [priority, at]);
  const walletUse = draw(afterNotes, balancesOf(c.wallets), firstWallets);
  return {
    coupons,
    couponUse,
    shares: c.fees.map(({ cents }, index) => minus(rational(cents), left[index] ?? ZERO)),
    feeTaxes,
    taxLines,
    taxes,
    creditNotes: total(creditNoteUse),
    creditNoteUse,
    prepaid: total(walletUse),
    walletUse,
    total: afterNotes - total(walletUse),
    subTotalExcluding,
    subTotalIncluding,
  };
}
