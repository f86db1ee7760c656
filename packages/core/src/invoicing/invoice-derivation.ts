/**
 * The derivation of an invoice, as plain data: it survives JSON, and its figures can be recomputed from it alone. Exact amounts ("666.66…"
 * as "2000/3") and whole ones are in minor units.
 */
import {
  type Currency,
  decimal,
  exactText,
  type Fraction,
  minor,
  NOTHING,
  readExact,
  sum,
  sumMinor,
} from "../money/index.ts";
import { type CouponUse, couponCredit, couponShare, type Discount, discountOf } from "./apply-coupons.ts";
import { type CreditNoteUse, takeInOrder, type WalletUse } from "./balances.ts";
import type { FeeBase, Tax } from "./fee.ts";
import { type InvoiceFigures, invoiceFigures } from "./invoice-figures.ts";
import { type TaxLine, taxKey, taxLines, totalTaxes } from "./tax.ts";

export type TaxStep = { readonly code: string; readonly name: string; readonly rate: string };

export type FeeStep = {
  readonly id: string;
  readonly label: string;
  readonly amountMinor: string;
  readonly taxes: readonly TaxStep[];
};

export type CouponStep = {
  readonly code: string;
  readonly discount:
    | { readonly type: "fixed"; readonly amountMinor: string }
    | { readonly type: "percentage"; readonly rate: string };
  readonly base: string;
  readonly creditMinor: string;
  readonly shares: readonly { readonly feeId: string; readonly remaining: string; readonly share: string }[];
};

export type TaxLineStep = TaxStep & {
  readonly bases: readonly { readonly feeId: string; readonly base: string }[];
  readonly exact: string;
  readonly amountMinor: string;
};

export type CreditNoteStep = { readonly number: string; readonly balanceMinor: string; readonly amountMinor: string };

export type WalletStep = {
  readonly rate: string;
  readonly balanceMinor: string;
  readonly amountMinor: string;
  readonly credits: string;
};

export type InvoiceDerivation = {
  readonly currency: Currency;
  readonly fees: readonly FeeStep[];
  readonly coupons: readonly CouponStep[];
  readonly taxes: readonly TaxLineStep[];
  readonly creditNotes: readonly CreditNoteStep[];
  readonly wallets: readonly WalletStep[];
  readonly figures: Readonly<Record<keyof InvoiceFigures, string>>;
};

type Steps = {
  readonly bases: readonly FeeBase[];
  readonly couponUses: readonly CouponUse[];
  readonly lines: readonly TaxLine[];
  readonly creditNoteUses: readonly CreditNoteUse[];
  readonly walletUses: readonly WalletUse[];
  readonly figures: InvoiceFigures;
};

/** Records the inputs of an invoice and each step of its computation. */
export function invoiceDerivation(currency: Currency, steps: Steps): InvoiceDerivation {
  return {
    currency,
    fees: steps.bases.map(({ fee, taxes }) => ({
      id: fee.id,
      label: fee.label,
      amountMinor: String(fee.amountMinor),
      taxes: taxes.map(taxStep),
    })),
    coupons: steps.couponUses.map(couponStep),
    taxes: steps.lines.map((line) => taxLineStep(line, steps.bases)),
    creditNotes: steps.creditNoteUses.map(({ note, amountMinor }) => ({
      number: note.number,
      balanceMinor: String(note.balanceMinor),
      amountMinor: String(amountMinor),
    })),
    wallets: steps.walletUses.map(({ wallet, amountMinor, credits }) => ({
      rate: exactText(wallet.rate),
      balanceMinor: String(wallet.balanceMinor),
      amountMinor: String(amountMinor),
      credits: exactText(credits),
    })),
    figures: figuresAsText(steps.figures),
  };
}

/** The figures of an invoice, from its derivation alone: every credit, share, tax and payment is recomputed. */
export function invoiceFiguresFrom(derivation: InvoiceDerivation): InvoiceFigures {
  const remaining = new Map(derivation.fees.map(({ id, amountMinor }) => [id, readExact(amountMinor)]));
  const credits = derivation.coupons.map((coupon) => takeOff(remaining, coupon));
  const bases = derivation.fees.map(({ id, taxes }) => ({
    base: remaining.get(id) ?? NOTHING,
    taxes: taxes.map(readTax),
  }));
  const beforeCredit = invoiceFigures({
    feesMinor: sumMinor(derivation.fees.map(({ amountMinor }) => readMinor(amountMinor))),
    couponsMinor: sumMinor(credits),
    taxesMinor: totalTaxes(taxLines(bases)),
    creditNotesMinor: minor(0n),
    prepaidMinor: minor(0n),
  });
  const creditNotesMinor = paidFrom(derivation.creditNotes, beforeCredit.totalMinor);
  const beforeWallets = invoiceFigures({ ...beforeCredit, creditNotesMinor });
  const prepaidMinor = paidFrom(derivation.wallets, beforeWallets.totalMinor);
  return invoiceFigures({ ...beforeWallets, prepaidMinor });
}

/** Applies a coupon to the rest of its fees, and returns the discount. */
function takeOff(remaining: Map<string, Fraction>, { discount, shares }: CouponStep) {
  const targeted = shares.map(({ feeId }) => ({ feeId, before: remaining.get(feeId) ?? NOTHING }));
  const base = sum(targeted.map(({ before }) => before));
  const creditMinor = couponCredit(readDiscount(discount), base);
  for (const { feeId, before } of targeted) remaining.set(feeId, before.minus(couponShare(before, creditMinor, base)));
  return creditMinor;
}

function paidFrom(sources: readonly { readonly balanceMinor: string }[], owedMinor: InvoiceFigures["totalMinor"]) {
  const balances = sources.map(({ balanceMinor }) => ({ balanceMinor: readMinor(balanceMinor) }));
  return sumMinor(takeInOrder(balances, owedMinor).map(({ amountMinor }) => amountMinor));
}

export const taxStep = ({ code, name, rate }: Tax): TaxStep => ({ code, name, rate: exactText(rate) });
export const readTax = ({ code, name, rate }: TaxStep): Tax => ({ code, name, rate: decimal(rate) });
export const readMinor = (digits: string) => minor(BigInt(digits));

function couponStep({ coupon, base, creditMinor, shares }: CouponUse): CouponStep {
  const discount = discountOf(coupon.state);
  return {
    code: coupon.code,
    discount:
      discount.type === "fixed"
        ? { type: "fixed", amountMinor: String(discount.amountMinor) }
        : { type: "percentage", rate: exactText(discount.rate) },
    base: exactText(base),
    creditMinor: String(creditMinor),
    shares: shares.map(({ feeId, remaining, share }) => ({
      feeId,
      remaining: exactText(remaining),
      share: exactText(share),
    })),
  };
}

const readDiscount = (discount: CouponStep["discount"]): Discount =>
  discount.type === "fixed"
    ? { type: "fixed", amountMinor: readMinor(discount.amountMinor) }
    : { type: "percentage", rate: readExact(discount.rate) };

function taxLineStep({ tax, exact, amountMinor }: TaxLine, bases: readonly FeeBase[]): TaxLineStep {
  const bearing = bases.filter(({ taxes }) => taxes.some((other) => taxKey(other) === taxKey(tax)));
  return {
    ...taxStep(tax),
    bases: bearing.map(({ fee, base }) => ({ feeId: fee.id, base: exactText(base) })),
    exact: exactText(exact),
    amountMinor: String(amountMinor),
  };
}

function figuresAsText(figures: InvoiceFigures): InvoiceDerivation["figures"] {
  return {
    feesMinor: String(figures.feesMinor),
    couponsMinor: String(figures.couponsMinor),
    subTotalExcludingTaxesMinor: String(figures.subTotalExcludingTaxesMinor),
    taxesMinor: String(figures.taxesMinor),
    subTotalIncludingTaxesMinor: String(figures.subTotalIncludingTaxesMinor),
    creditNotesMinor: String(figures.creditNotesMinor),
    prepaidMinor: String(figures.prepaidMinor),
    totalMinor: String(figures.totalMinor),
  };
}
