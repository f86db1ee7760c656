/** What core computed, in the shape of the oracle's answers, and that it comes again from the stored derivation. */
import { type CreditNote, type computeInvoice, invoiceFiguresFrom, noteFiguresFrom } from "@tallystick/core/invoicing";
import type { InvoiceResult } from "@tallystick/second-opinion/invoice";
import { rationalOf } from "./comparison.ts";
import { idOf } from "./invoice-input.ts";

type Figures = Omit<InvoiceResult, "couponUse" | "creditNoteUse" | "walletUse" | "walletCredits">;

export function figuresOf(invoice: ReturnType<typeof computeInvoice>): Figures {
  const { figures } = invoice;
  sameFigures(invoiceFiguresFrom(JSON.parse(JSON.stringify(invoice.derivation))), figures);
  return {
    coupons: figures.couponsMinor,
    shares: invoice.fees.map(({ couponShare }) => rationalOf(couponShare)),
    feeTaxes: invoice.fees.map(({ taxesMinor }) => taxesMinor),
    feeTaxLines: invoice.fees.map(({ taxes }) => taxes.map(({ amountMinor }) => amountMinor)),
    taxLines: linesOf(invoice.taxLines),
    taxes: figures.taxesMinor,
    taxesRate: rationalOf(invoice.taxesRate),
    creditNotes: figures.creditNotesMinor,
    prepaid: figures.prepaidMinor,
    total: figures.totalMinor,
    subTotalExcluding: figures.subTotalExcludingTaxesMinor,
    subTotalIncluding: figures.subTotalIncludingTaxesMinor,
  };
}

type Listed = readonly unknown[];

/** What is used of each coupon, note and wallet, by its place in its list; nothing where it is not used. */
export function usesOf(
  { couponUses, creditNoteUses, walletUses }: ReturnType<typeof computeInvoice>,
  coupons: Listed,
  notes: Listed,
  wallets: Listed,
) {
  const byPlace = <Use, Value>(list: Listed, uses: readonly Use[], read: (use: Use) => [string, Value]) => {
    const found = new Map(uses.map(read));
    return list.map((_, index) => found.get(idOf(index)));
  };
  return {
    coupons: byPlace(coupons, couponUses, ({ coupon, creditMinor }) => [coupon.id, creditMinor]),
    notes: byPlace(notes, creditNoteUses, ({ note, amountMinor }) => [note.id, amountMinor]),
    wallets: byPlace(wallets, walletUses, ({ wallet, amountMinor }) => [wallet.id, amountMinor]),
    credits: byPlace(wallets, walletUses, ({ wallet, credits }) => [wallet.id, rationalOf(credits)]),
  };
}

export function noteFiguresOf(note: Omit<CreditNote, "creditMinor" | "creditStatus" | "refundMinor" | "refundStatus">) {
  sameFigures(noteFiguresFrom(JSON.parse(JSON.stringify(note.derivation))), note);
  return {
    couponsAdjustment: note.couponsMinor,
    subTotalExcluding: note.subTotalExcludingTaxesMinor,
    taxes: note.taxesMinor,
    taxesRate: rationalOf(note.taxesRate),
    total: note.totalMinor,
    taxLines: linesOf(note.taxLines),
    items: note.items.map(({ feeId, amountMinor, amount }) => ({
      fee: Number(feeId),
      cents: amountMinor,
      stored: rationalOf(amount),
    })),
  };
}

type Line = Pick<CreditNote["taxLines"][number], "tax" | "baseMinor" | "amountMinor">;

const linesOf = (lines: readonly Line[]): InvoiceResult["taxLines"] =>
  lines
    .map(({ tax: { code, rate }, baseMinor, amountMinor }) => ({
      code,
      rate: rate.toFixed(),
      base: baseMinor,
      cents: amountMinor,
    }))
    .toSorted((one, other) => (`${one.code} ${one.rate}` < `${other.code} ${other.rate}` ? -1 : 1));

function sameFigures(again: object, figures: object): void {
  for (const [name, amount] of Object.entries(again)) {
    if (amount !== (figures as Record<string, unknown>)[name]) throw new Error(`the derivation gives another ${name}`);
  }
}
