/** The limits of an invoice. Anything larger is refused before it is written, and never truncated. */
import { fail, ok, type Result } from "../catalog/index.ts";
import { type Minor, minor } from "../money/index.ts";
import type { InvoiceFigures } from "./invoice-figures.ts";

/** The largest whole number that every JSON reader keeps exactly: 2^53 - 1. */
export const AMOUNT_MAX: Minor = minor(9_007_199_254_740_991n);
const FEES_PER_INVOICE_MAX = 10_000;

export type BeyondLimit =
  | { readonly code: "amount_too_large"; readonly what: string; readonly amountMinor: Minor }
  | { readonly code: "too_many_fees"; readonly count: number };

type Limited = {
  readonly fees: readonly { readonly amountMinor: Minor; readonly taxesMinor: Minor }[];
  readonly figures?: InvoiceFigures;
};

/** Whether fees, and their invoice if they have one, can be written. */
export function checkLimits({ fees, figures }: Limited): Result<null, BeyondLimit> {
  if (figures && fees.length > FEES_PER_INVOICE_MAX) return fail({ code: "too_many_fees", count: fees.length });
  const amounts: [what: string, amountMinor: Minor][] = [
    ...fees.flatMap(({ amountMinor, taxesMinor }): [string, Minor][] => [
      ["the amount of a fee", amountMinor],
      ["the taxes of a fee", taxesMinor],
      ["a fee with its taxes", minor(amountMinor + taxesMinor)],
    ]),
    ...Object.entries(figures ?? {}).map(([name, amountMinor]): [string, Minor] => [
      FIGURE_NAMES[name] ?? name,
      amountMinor,
    ]),
  ];
  const beyond = amounts.find(([, amountMinor]) => amountMinor > AMOUNT_MAX || amountMinor < -AMOUNT_MAX);
  return beyond ? fail({ code: "amount_too_large", what: beyond[0], amountMinor: beyond[1] }) : ok(null);
}

const FIGURE_NAMES: Readonly<Record<string, string>> = {
  feesMinor: "the sum of the fees",
  couponsMinor: "the sum of the coupons",
  subTotalExcludingTaxesMinor: "the sub total without taxes",
  taxesMinor: "the sum of the taxes",
  subTotalIncludingTaxesMinor: "the sub total with taxes",
  creditNotesMinor: "the sum of the credit notes",
  prepaidMinor: "the sum of the prepaid credits",
  totalMinor: "the total",
};

/** The text that the operator sees. */
export function explainLimit(beyond: BeyondLimit): string {
  if (beyond.code === "too_many_fees")
    return `An invoice has at most ${FEES_PER_INVOICE_MAX} fees; this one would have ${beyond.count}.`;
  return `An amount is at most ${AMOUNT_MAX} minor units; ${beyond.what} would be ${beyond.amountMinor}.`;
}
