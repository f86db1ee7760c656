/** A credit note as text: what each item gives back, then the figures that add up to the total. */
import { type Currency, type Fraction, readableText, readExact } from "../money/index.ts";
import { amountText, billLine, exactAmountText } from "./amount-text.ts";
import { creditPart } from "./credit-note-amounts.ts";
import { type CreditItemStep, type CreditNoteDerivation, readFee } from "./credit-note-derivation.ts";
import { readMinor } from "./invoice-derivation.ts";
import { taxLines } from "./tax.ts";

/** The lines of a credit note, each of which can be checked with a pocket calculator. */
export function explainCreditNote({ currency, items, isRest, figures }: CreditNoteDerivation): string[] {
  const credited = items.map((item) => ({
    item,
    part: creditPart({ fee: readFee(item), amount: readExact(item.amount) }),
  }));
  return [
    ...credited.map(({ item, part }) => `  ${item.label}: ${itemText(item, part.base, currency)}`),
    billLine("Excluding taxes", amountText(readMinor(figures.subTotalExcludingTaxesMinor), currency)),
    ...taxLines(credited.map(({ part }) => part)).map(
      ({ tax, base, exact }) =>
        `  ${tax.name} ${readableText(tax.rate)} % on ${exactAmountText(base, currency)} = ${exactAmountText(exact, currency)}`,
    ),
    billLine("Taxes", amountText(readMinor(figures.taxesMinor), currency)),
    ...(isRest ? ["  This note credits the rest of the invoice: each figure is what earlier notes left of it."] : []),
    billLine(`Total ${currency}`, amountText(readMinor(figures.totalMinor), currency)),
  ];
}

function itemText({ amount, feeAmountMinor, couponShare }: CreditItemStep, base: Fraction, currency: Currency): string {
  const shown = (exact: string): string => exactAmountText(readExact(exact), currency);
  if (couponShare === "0") return `${shown(amount)} of ${shown(feeAmountMinor)}`;
  const coupons = `${shown(couponShare)} × ${shown(amount)} / ${shown(feeAmountMinor)}`;
  return `${shown(amount)} less coupons ${coupons} = ${exactAmountText(base, currency)}`;
}
