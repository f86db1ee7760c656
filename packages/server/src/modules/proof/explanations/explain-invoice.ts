/** Explains the total of an invoice: its figures step by step, and the computation of each fee. */
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type FeeRow, findFeesOfInvoices, findInvoice, type InvoiceRow, invoiceErrors } from "../../invoicing/index.ts";
import { invoiceDerivationOf, type StoredDerivation, zoneOf } from "./load-fee.ts";
import { describeFee, formatsOf, invoiceText, roundingText } from "./text.ts";

/** A fee with its name and the steps of its computation. */
type PublishedFee = { readonly row: FeeRow; readonly name: string; readonly steps: readonly string[] };

export type InvoiceExplanation = {
  readonly row: InvoiceRow;
  readonly fees: readonly PublishedFee[];
  readonly text: readonly string[];
};

export async function explainInvoice(tx: Tx, organizationId: string, id: string): Promise<InvoiceExplanation> {
  const row = await findInvoice(tx, organizationId, id);
  if (!row) throw invoiceErrors.problem("invoice_not_found");
  const fees: PublishedFee[] = [];
  for (const fee of await findFeesOfInvoices(alone(tx), organizationId, [id]))
    fees.push(tell(fee, await zoneOf(tx, organizationId, fee, row)));
  const derivation = invoiceDerivationOf(row);
  return {
    row,
    fees,
    text: [...fees.flatMap(indented), ...(derivation ? invoiceText(derivation) : regroupedText(row))],
  };
}

function tell(row: FeeRow, timeZone: string): PublishedFee {
  const derivation = row.derivation as StoredDerivation;
  const [name = "", ...steps] = describeFee(row, derivation, timeZone);
  return { row, name, steps: [...steps, ...roundingText(row, derivation)] };
}

const indented = ({ row, name, steps }: PublishedFee): string[] => [
  `${name}: ${formatsOf(row.currency).amount(row.amount_cents)}`,
  ...steps.map((step) => `  ${step}`),
];

/** An invoice that regroups fees paid in advance only sums what was paid. */
function regroupedText({
  currency,
  fees_amount_cents: fees,
  taxes_amount_cents: taxes,
  total_amount_cents: total,
}: InvoiceRow) {
  const { amount } = formatsOf(currency ?? "");
  return [
    `Fees, each paid before: ${amount(fees)}`,
    `Taxes that were paid with them: ${amount(taxes)}`,
    `Total: ${amount(total)}`,
  ];
}
