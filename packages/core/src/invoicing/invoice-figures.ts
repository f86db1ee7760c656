/** The eight amounts that every invoice shows. */
import { type Minor, minor } from "../money/index.ts";

export type InvoiceFigures = {
  readonly feesMinor: Minor;
  readonly couponsMinor: Minor;
  readonly subTotalExcludingTaxesMinor: Minor;
  readonly taxesMinor: Minor;
  readonly subTotalIncludingTaxesMinor: Minor;
  readonly creditNotesMinor: Minor;
  readonly prepaidMinor: Minor;
  readonly totalMinor: Minor;
};

type Parts = Pick<InvoiceFigures, "feesMinor" | "couponsMinor" | "taxesMinor" | "creditNotesMinor" | "prepaidMinor">;

/** The three sums that follow from the five parts. */
export function invoiceFigures(parts: Parts): InvoiceFigures {
  const { feesMinor, couponsMinor, taxesMinor, creditNotesMinor, prepaidMinor } = parts;
  const excluding = feesMinor - couponsMinor;
  const including = excluding + taxesMinor;
  return {
    feesMinor,
    couponsMinor,
    subTotalExcludingTaxesMinor: minor(excluding),
    taxesMinor,
    subTotalIncludingTaxesMinor: minor(including),
    creditNotesMinor,
    prepaidMinor,
    totalMinor: minor(including - creditNotesMinor - prepaidMinor),
  };
}
