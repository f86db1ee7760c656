/** The cost of usage before it is invoiced. */
import { fraction, type Minor, minor, sumMinor } from "../money/index.ts";
import type { Fee } from "./fee.ts";
import { type CustomerTaxes, taxesFor, taxLines, totalTaxes } from "./tax.ts";

export type UsageTotals = { readonly amountMinor: Minor; readonly taxesMinor: Minor; readonly totalMinor: Minor };

/** The totals of an invoice of these fees before coupons. `taxes` null: without taxes. 7 at 20 % and 27 at 5.5 % make 34 + 3. */
export function usageTotals(
  fees: readonly Pick<Fee, "amountMinor" | "item">[],
  taxes: CustomerTaxes | null,
): UsageTotals {
  const amountMinor = sumMinor(fees.map((fee) => fee.amountMinor));
  const bases = fees.map((fee) => ({
    base: fraction(fee.amountMinor),
    taxes: taxes === null ? [] : taxesFor(fee.item, taxes),
  }));
  const taxesMinor = totalTaxes(taxLines(bases));
  return { amountMinor, taxesMinor, totalMinor: minor(amountMinor + taxesMinor) };
}
