/** Fees that were paid one by one, regrouped on one invoice when their period is over. */
import { type Decimal, fraction, type Minor, minor, sumMinor } from "../money/index.ts";
import type { TaxAmount } from "./credit-note-amounts.ts";
import { type InvoiceFigures, invoiceFigures } from "./invoice-figures.ts";
import { averageRate, taxKey, taxLines } from "./tax.ts";

/** A fee billed in advance that is on no invoice. */
export type StandaloneFee = {
  readonly id: string;
  readonly amountMinor: Minor;
  readonly taxesMinor: Minor;
  readonly taxes: readonly TaxAmount[];
  readonly payment:
    | { readonly status: "succeeded"; readonly succeededAt: Temporal.Instant }
    | { readonly status: "pending" | "failed" | "refunded" };
  /** The end of the period of its usage. */
  readonly windowTo: Temporal.Instant;
};

export type RegroupedInvoice = {
  readonly feeIds: readonly string[];
  readonly figures: InvoiceFigures;
  readonly taxLines: readonly (TaxAmount & { readonly baseMinor: Minor })[];
  readonly taxesRate: Decimal;
  readonly paymentStatus: "succeeded";
};

/**
 * The invoice of all fees that were paid by an instant and whose period is over by then; null without any. Its figures are sums of the paid
 * amounts, taxes included. Nothing is recomputed.
 */
export function regroupPaidFees(fees: readonly StandaloneFee[], at: Temporal.Instant): RegroupedInvoice | null {
  const isBy = (instant: Temporal.Instant): boolean => Temporal.Instant.compare(instant, at) <= 0;
  const paid = fees.filter(
    ({ payment, windowTo }) => payment.status === "succeeded" && isBy(payment.succeededAt) && isBy(windowTo),
  );
  if (paid.length === 0) return null;
  const bases = paid.map(({ amountMinor, taxes }) => ({
    base: fraction(amountMinor),
    taxes: taxes.map(({ tax }) => tax),
  }));
  const lines = taxLines(bases);
  const paidTaxes = paid.flatMap(({ taxes }) => taxes);
  return {
    feeIds: paid.map(({ id }) => id),
    figures: invoiceFigures({
      feesMinor: sumMinor(paid.map(({ amountMinor }) => amountMinor)),
      couponsMinor: minor(0n),
      taxesMinor: sumMinor(paid.map(({ taxesMinor }) => taxesMinor)),
      creditNotesMinor: minor(0n),
      prepaidMinor: minor(0n),
    }),
    taxLines: lines.map(({ tax, baseMinor }) => ({
      tax,
      baseMinor,
      amountMinor: sumMinor(
        paidTaxes.filter((paidTax) => taxKey(paidTax.tax) === taxKey(tax)).map(({ amountMinor }) => amountMinor),
      ),
    })),
    taxesRate: averageRate(lines, bases),
    paymentStatus: "succeeded",
  };
}
