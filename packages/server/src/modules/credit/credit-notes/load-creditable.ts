/** Loads an invoice for core to credit: fees, figures, taxes, and what earlier notes credited. */
import type { CreditableInvoice } from "@tallystick/core/invoicing";
import { currency, fraction, minor, sumMinor } from "@tallystick/core/money";
import type { Batch } from "../../../platform/postgres/batch.ts";
import {
  figuresOf,
  findFeesOfInvoices,
  findInvoiceTaxes,
  findTaxesOfFees,
  type InvoiceRow,
} from "../../invoicing/index.ts";
import { type CreditNoteTaxRow, findItems, findNotesOfInvoice, findNoteTaxes } from "./store.ts";

type Credited = Awaited<ReturnType<typeof loadCreditable>>;
export type LoadedInvoice = Credited;

/** The caller locks the customer, unless it writes nothing. */
export async function loadCreditable(batch: Batch, invoice: InvoiceRow) {
  const { organization_id: organizationId, id } = invoice;
  const fees = await findFeesOfInvoices(batch, organizationId, [id]);
  const feeIds = fees.map((fee) => fee.id);
  const feeTaxes = Map.groupBy(await findTaxesOfFees(batch.tx, organizationId, feeIds), ({ fee_id }) => fee_id);
  const invoiceTaxes = await findInvoiceTaxes(batch, organizationId, [id]);
  const notes = await findNotesOfInvoice(batch.tx, organizationId, id);
  const noteIds = notes.map((note) => note.id);
  const items = Map.groupBy(await findItems(batch.tx, organizationId, noteIds), ({ fee_id }) => fee_id);
  const noteTaxes = Map.groupBy(
    await findNoteTaxes(batch.tx, organizationId, noteIds),
    ({ credit_note_id }) => credit_note_id,
  );
  const creditable: Omit<CreditableInvoice, "source"> = {
    currency: currency(invoice.currency ?? ""),
    status: invoice.status as CreditableInvoice["status"],
    isPaid: invoice.payment_status === "succeeded",
    writtenOffMinor: minor(invoice.written_off_amount_cents),
    figures: figuresOf(invoice),
    taxLines: invoiceTaxes.map(toTaxAmount),
    fees: fees.map((fee) => ({
      id: fee.id,
      label: fee.item_code,
      amountMinor: minor(fee.amount_cents),
      couponShare: fraction(fee.precise_coupons_amount_cents),
      taxes: (feeTaxes.get(fee.id) ?? []).map(toTax),
      creditedMinor: sumMinor((items.get(fee.id) ?? []).map(({ amount_cents }) => minor(amount_cents))),
    })),
    earlierNotes: notes.map((note) => ({
      couponsMinor: minor(note.coupons_adjustment_amount_cents),
      subTotalExcludingTaxesMinor: minor(note.sub_total_excluding_taxes_amount_cents),
      taxesMinor: minor(note.taxes_amount_cents),
      totalMinor: minor(note.total_amount_cents),
      taxLines: (noteTaxes.get(note.id) ?? []).map(toTaxAmount),
    })),
  };
  // By code: the taxes on notes, next to the taxes that core knows.
  const taxRows = new Map(
    invoiceTaxes.map((tax) => [tax.tax_code, { id: tax.tax_id, description: tax.tax_description }]),
  );
  return {
    invoice,
    creditable,
    taxRows,
    noteCount: notes.length,
    itemsOfFee: (feeId: string) => items.get(feeId) ?? [],
  };
}

type StoredTax = Pick<CreditNoteTaxRow, "tax_code" | "tax_name" | "tax_rate">;

const toTax = ({ tax_code, tax_name, tax_rate }: StoredTax) => ({ code: tax_code, name: tax_name, rate: tax_rate });

const toTaxAmount = (row: StoredTax & { amount_cents: bigint }) => ({
  tax: toTax(row),
  amountMinor: minor(row.amount_cents),
});
