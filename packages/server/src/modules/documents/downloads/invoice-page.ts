/** The page of an invoice. It shows the invoice's amounts and computes nothing. */
import assert from "node:assert/strict";
import type { ApiExtendedInvoice, FeeRow, InvoiceRow } from "../../invoicing/index.ts";
import { type Drawn, headerIn } from "../documents/index.ts";
import { feeLine, isShown, type Speech } from "./fee-lines.ts";
import { createFormats } from "./formats.ts";
import type { Page } from "./page.ts";
import { paperOf, partiesOf } from "./parties.ts";
import { taxNotes, taxTotals } from "./taxes.ts";
import { fill, wordsOf } from "./words/index.ts";

export type InvoiceParts = {
  document: Pick<Drawn, "locale" | "header">;
  row: InvoiceRow;
  invoice: ApiExtendedInvoice;
  fees: readonly FeeRow[];
};

export function invoicePage({ document, row, invoice, fees }: InvoiceParts): Page {
  const { locale } = document;
  const header = headerIn(document);
  assert(row.issuing_date && row.payment_due_date && row.time_zone, "a finalized invoice has its dates");
  const words = wordsOf(locale);
  const formats = createFormats(locale, invoice.currency);
  const speech = { words, formats, timeZone: row.time_zone };
  const amount = formats.amount(row.total_amount_cents);
  return {
    locale,
    paper: paperOf(header),
    title: words.invoice,
    number: invoice.number,
    date: { year: row.issuing_date.year, month: row.issuing_date.month, day: row.issuing_date.day },
    facts: [
      { label: words.number, value: invoice.number },
      { label: words.issueDate, value: formats.date(row.issuing_date) },
      { label: words.dueDate, value: formats.date(row.payment_due_date) },
      { label: words.paymentTerm, value: daysOf(invoice.net_payment_term, speech) },
      { label: words.currency, value: invoice.currency },
      ...header.metadata.map(({ key, value }) => ({ label: key, value })),
    ],
    ...partiesOf(header, words.billTo, speech),
    headline: fill(words.dueBy, { amount, date: formats.date(row.payment_due_date) }),
    columns: [words.item, words.units, words.unitPrice, words.tax, words.amount],
    sections: sectionsOf(fees.filter(isShown), invoice, speech),
    totals: totalsOf(invoice, speech),
    notes: taxNotes(invoice.applied_taxes),
    footer: header.footer ?? "",
    pageNumber: words.page,
  };
}

const daysOf = (count: number, { words, formats }: Speech): string =>
  fill(formats.isOne(count) ? words.day : words.days, { count: String(count) });

/** One for each subscription, in the order of their fees. */
function sectionsOf(fees: readonly FeeRow[], invoice: ApiExtendedInvoice, speech: Speech): Page["sections"] {
  const { words } = speech;
  const headings = new Map(invoice.subscriptions.map((each) => [each.svc_id, each.name || each.external_id]));
  const groups = Map.groupBy(fees, ({ subscription_id }) => subscription_id ?? "");
  return [...groups].map(([subscriptionId, rows]) => ({
    heading: headings.get(subscriptionId) ?? words.items,
    lines: rows.map((row) => feeLine(row, speech)),
  }));
}

function totalsOf(invoice: ApiExtendedInvoice, { words, formats }: Speech): Page["totals"] {
  const plain = (label: string, cents: bigint) => ({ label, amount: formats.amount(cents), isMain: false });
  const coupons = invoice.credits.filter(({ item }) => item.type === "coupon");
  const notes = invoice.credits.filter(({ item }) => item.type === "credit_note");
  const prepaid = invoice.prepaid_credit_amount_cents;
  return [
    ...(coupons.length > 0 ? [plain(words.fees, invoice.fees_amount_cents)] : []),
    ...coupons.map(({ item, amount_cents }) => plain(fill(words.coupon, { name: item.name }), -amount_cents)),
    plain(words.subTotal, invoice.sub_total_excluding_taxes_amount_cents),
    ...taxTotals(
      invoice.applied_taxes.map((tax) => ({ ...tax, base: tax.fees_amount_cents })),
      { words, formats },
    ),
    plain(words.totalWithTax, invoice.sub_total_including_taxes_amount_cents),
    ...notes.map(({ item, amount_cents }) => plain(fill(words.creditNoteUsed, { number: item.code }), -amount_cents)),
    ...(prepaid > 0n ? [plain(words.prepaidUsed, -prepaid)] : []),
    { ...plain(words.totalDue, invoice.total_amount_cents), isMain: true },
  ];
}
