/** A credit note as text: what each item gives back, then the figures that add up to the total. */
import { readExact } from "../money/index.ts";
import { amountText, billLine, exactAmountText, exactDecimalText } from "./amount-text.ts";
import { creditPart } from "./credit-note-amounts.ts";
import { type CreditItemStep, type CreditNoteDerivation, readFee } from "./credit-note-derivation.ts";
import { readMinor } from "./invoice-derivation.ts";
import { taxLines } from "./tax.ts";

/** The lines of a credit note, each of which can be checked with a pocket calculator. */
export function explainCreditNote({ currency, items, isRest, figures }: CreditNoteDerivation): string[] {
  const parts = items.map((item) => creditPart({ fee: readFee(item), amount: readExact(item.amount) }));
  const shown = (exact: string): string => exactAmountText(readExact(exact), currency);
  const itemText = (item: CreditItemStep, index: number): string => {
    const coupons = `${shown(item.couponShare)} × ${shown(item.amount)} / ${shown(item.feeAmountMinor)}`;
    const base = exactAmountText(parts[index]?.base ?? 0n, currency);
    return item.couponShare === "0"
      ? `  ${item.label}: ${shown(item.amount)} of ${shown(item.feeAmountMinor)}`
      : `  ${item.label}: ${shown(item.amount)} less coupons ${coupons} = ${base}`;
  };
  return [
    ...items.map(itemText),
    billLine("Excluding taxes", amountText(readMinor(figures.subTotalExcludingTaxesMinor), currency)),
    ...taxLines(parts).map(
      ({ tax, base, exact }) =>
        `  ${tax.name} ${exactDecimalText(tax.rate)} % on ${exactAmountText(base, currency)} = ${exactAmountText(exact, currency)}`,
    ),
    billLine("Taxes", amountText(readMinor(figures.taxesMinor), currency)),
    ...(isRest ? ["  This note credits the rest of the invoice: each figure is what earlier notes left of it."] : []),
    billLine(`Total ${currency}`, amountText(readMinor(figures.totalMinor), currency)),
  ];
}
