/** Fees, less coupons, plus taxes, less credit notes, less prepaid credits: an invoice, in that order. */
import {
  type Currency,
  type Decimal,
  type Fraction,
  fraction,
  type Minor,
  minor,
  sum,
  sumMinor,
} from "../money/index.ts";
import { applyCoupons, type CouponUse } from "./apply-coupons.ts";
import {
  type CreditNoteBalance,
  type CreditNoteUse,
  useCreditNotes,
  useWallets,
  type Wallet,
  type WalletUse,
} from "./balances.ts";
import type { AppliedCoupon } from "./coupon.ts";
import type { Fee, FeeBase, Tax } from "./fee.ts";
import { type InvoiceDerivation, invoiceDerivation } from "./invoice-derivation.ts";
import { type InvoiceFigures, invoiceFigures } from "./invoice-figures.ts";
import { averageRate, type CustomerTaxes, feeTaxes, type TaxLine, taxesFor, taxLines, totalTaxes } from "./tax.ts";

/** Only a subscription invoice can be a draft. */
export type InvoiceForm =
  | { readonly type: "subscription"; readonly status: "draft" | "finalized" }
  | { readonly type: "one_off" | "credit"; readonly status: "finalized" };

export type InvoiceInput = {
  readonly id: string;
  readonly form: InvoiceForm;
  readonly currency: Currency;
  /** The instant of billing or finalization, which decides what has expired. */
  readonly at: Temporal.Instant;
  readonly fees: readonly Fee[];
  readonly taxes: CustomerTaxes;
  /** The customer's balances: active coupons, available credit notes, active wallets. */
  readonly coupons: readonly AppliedCoupon[];
  readonly creditNotes: readonly CreditNoteBalance[];
  readonly wallets: readonly Wallet[];
};

export type InvoiceFee = {
  readonly id: string;
  readonly amountMinor: Minor;
  /** Exact. Five decimals are stored and shown. */
  readonly couponShare: Fraction;
  readonly taxes: readonly { readonly tax: Tax; readonly amountMinor: Minor }[];
  readonly taxesMinor: Minor;
  readonly taxesRate: Decimal;
  readonly totalMinor: Minor;
};

export type Invoice = {
  readonly fees: readonly InvoiceFee[];
  readonly figures: InvoiceFigures;
  readonly taxLines: readonly TaxLine[];
  readonly taxesRate: Decimal;
  readonly paymentStatus: "pending" | "succeeded";
  readonly couponUses: readonly CouponUse[];
  readonly creditNoteUses: readonly CreditNoteUse[];
  readonly walletUses: readonly WalletUse[];
  readonly derivation: InvoiceDerivation;
};

/**
 * Computes an invoice: 200.00 of fees, a coupon of 10.00, 19.00 of taxes, a credit note of 50.00 and a wallet of 300.00
 * leave nothing to pay. Only a subscription invoice that is being finalized spends anything.
 */
export function computeInvoice(input: InvoiceInput): Invoice {
  const { currency, id: invoiceId, at } = input;
  const { coupons, creditNotes, wallets } = spendable(input);
  const couponUses = applyCoupons(input.fees, coupons, currency);
  const bases = basesOf(input, couponUses);
  const lines = taxLines(bases);
  const beforeCredit = invoiceFigures({
    feesMinor: sumMinor(input.fees.map(({ amountMinor }) => amountMinor)),
    couponsMinor: sumMinor(couponUses.map(({ creditMinor }) => creditMinor)),
    taxesMinor: totalTaxes(lines),
    creditNotesMinor: minor(0n),
    prepaidMinor: minor(0n),
  });
  const creditNoteUses = useCreditNotes(creditNotes, { owedMinor: beforeCredit.totalMinor, currency, invoiceId });
  const creditNotesMinor = sumMinor(creditNoteUses.map(({ amountMinor }) => amountMinor));
  const beforeWallets = invoiceFigures({ ...beforeCredit, creditNotesMinor });
  const walletUses = useWallets(wallets, { owedMinor: beforeWallets.totalMinor, currency, at });
  const prepaidMinor = sumMinor(walletUses.map(({ amountMinor }) => amountMinor));
  const figures = invoiceFigures({ ...beforeWallets, prepaidMinor });
  const steps = { bases, couponUses, lines, creditNoteUses, walletUses, figures };
  return {
    fees: bases.map(invoiceFee),
    figures,
    taxLines: lines,
    taxesRate: averageRate(lines, bases),
    paymentStatus: figures.totalMinor === 0n ? "succeeded" : "pending",
    couponUses,
    creditNoteUses,
    walletUses,
    derivation: invoiceDerivation(currency, steps),
  };
}

/** Drafts show usage, not how it will be paid. One-off and credit invoices are paid in money only. */
function spendable({ form, coupons, creditNotes, wallets }: InvoiceInput) {
  const isSpending = form.type === "subscription" && form.status === "finalized";
  return isSpending ? { coupons, creditNotes, wallets } : { coupons: [], creditNotes: [], wallets: [] };
}

/** The cost of each fee after its coupons, and its taxes. */
function basesOf({ fees, taxes }: InvoiceInput, couponUses: readonly CouponUse[]): FeeBase[] {
  const shares = Map.groupBy(
    couponUses.flatMap((use) => use.shares),
    ({ feeId }) => feeId,
  );
  return fees.map((fee) => {
    const couponShare = sum((shares.get(fee.id) ?? []).map(({ share }) => share));
    const base = fraction(fee.amountMinor).minus(couponShare);
    return { fee, couponShare, base, taxes: taxesFor(fee.item, taxes) };
  });
}

function invoiceFee(feeBase: FeeBase): InvoiceFee {
  const { fee, couponShare } = feeBase;
  const { lines, taxesMinor, taxesRate } = feeTaxes(feeBase);
  return {
    id: fee.id,
    amountMinor: fee.amountMinor,
    couponShare,
    taxes: lines,
    taxesMinor,
    taxesRate,
    totalMinor: minor(fee.amountMinor + taxesMinor),
  };
}
