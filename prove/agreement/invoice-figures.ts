/** What core computed, in the shape of the oracle's answers; the steps of a stored derivation must add up to it. */
import type { CreditNote, computeInvoice } from "@tallystick/core/invoicing";
import { readExact, roundMinor, sum } from "@tallystick/core/money";
import type { InvoiceResult } from "@tallystick/second-opinion/invoice";
import { rationalOf } from "./comparison.ts";
import { idOf } from "./invoice-input.ts";

type Figures = Omit<InvoiceResult, "couponUse" | "creditNoteUse" | "walletUse" | "walletCredits">;

export function figuresOf(invoice: ReturnType<typeof computeInvoice>): Figures {
  const { figures } = invoice;
  addsUp(invoice);
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
  sameFigures(note.derivation.figures, note);
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

/** Fees, credits and balances used, as the derivation shows them to a reader, sum to the figures. */
function addsUp({ derivation, figures }: ReturnType<typeof computeInvoice>): void {
  sameFigures(derivation.figures, figures);
  const { fees, coupons, taxes, creditNotes, wallets } = derivation;
  const total = (amounts: readonly string[]) => amounts.reduce((sum, digits) => sum + BigInt(digits), 0n);
  const steps = {
    feesMinor: total(fees.map(({ amountMinor }) => amountMinor)),
    couponsMinor: total(coupons.map(({ creditMinor }) => creditMinor)),
    taxesMinor: roundMinor(sum(taxes.map(({ exact }) => readExact(exact)))),
    creditNotesMinor: total(creditNotes.map(({ amountMinor }) => amountMinor)),
    prepaidMinor: total(wallets.map(({ amountMinor }) => amountMinor)),
  };
  for (const [name, amount] of Object.entries(steps)) {
    if (amount !== figures[name as keyof typeof steps]) throw new Error(`the steps of the derivation miss ${name}`);
  }
  for (const { code, creditMinor, shares } of coupons) {
    if (!sum(shares.map(({ share }) => readExact(share))).equals(BigInt(creditMinor)))
      throw new Error(`the shares of coupon ${code} miss its credit`);
  }
}

function sameFigures(derived: Readonly<Record<string, string>>, figures: object): void {
  for (const [name, amount] of Object.entries(derived)) {
    if (amount !== String((figures as Record<string, unknown>)[name]))
      throw new Error(`the derivation gives another ${name}`);
  }
}
