/** The invoice of all bills of a customer's subscriptions at one instant. */
import { fraction } from "../money/index.ts";
import type { Bucket } from "../usage/index.ts";
import type { BillFee } from "./bill-fee.ts";
import { computeInvoice, type Invoice, type InvoiceFee, type InvoiceInput } from "./compute-invoice.ts";
import { type FeeTaxes, feeTaxes, taxesFor } from "./tax.ts";

/** The fees of one subscription's bill. */
export type BilledSubscription<Used extends Bucket = Bucket> = {
  readonly subscriptionId: string;
  readonly fees: readonly BillFee<Used>[];
};

type Line<Used extends Bucket> = { readonly subscriptionId: string; readonly fee: BillFee<Used> };

export type InvoiceOfBills<Used extends Bucket = Bucket> = {
  readonly invoice: Invoice;
  readonly invoiced: readonly (Line<Used> & { readonly figures: InvoiceFee })[];
  /** Fees of charges that are not invoiced: taxed one by one, without coupons. */
  readonly standalone: readonly (Line<Used> & { readonly taxes: FeeTaxes })[];
};

/** Bills of several subscriptions are one invoice: coupons, taxes and credit look at all of its fees together. */
export function invoiceOfBills<Used extends Bucket>(
  bills: readonly BilledSubscription<Used>[],
  rest: Omit<InvoiceInput, "fees">,
): InvoiceOfBills<Used> {
  const lines = bills.flatMap(({ subscriptionId, fees }) => fees.map((fee) => ({ subscriptionId, fee })));
  const invoiced = lines.filter(({ fee }) => fee.isInvoiced);
  const byId = new Map(invoiced.map((line) => [idOf(line), line]));
  if (byId.size < invoiced.length) throw new Error("A subscription has one bill on an invoice, and each fee once.");
  const invoice = computeInvoice({
    ...rest,
    fees: [...byId].map(([id, { fee }]) => ({ id, label: fee.label, amountMinor: fee.amountMinor, item: fee.item })),
  });
  return {
    invoice,
    invoiced: invoice.fees.flatMap((figures) => {
      const line = byId.get(figures.id);
      return line ? [{ ...line, figures }] : [];
    }),
    standalone: lines
      .filter(({ fee }) => !fee.isInvoiced)
      .map((line) => {
        const { amountMinor, item } = line.fee;
        return { ...line, taxes: feeTaxes({ base: fraction(amountMinor), taxes: taxesFor(item, rest.taxes) }) };
      }),
  };
}

/** The same whenever the invoice is recomputed, so that a draft and its refresh can be compared. */
const idOf = ({ subscriptionId, fee }: Line<Bucket>): string => `${subscriptionId}:${fee.key}`;
