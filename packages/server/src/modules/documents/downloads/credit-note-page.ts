/** The page of a credit note. It refers to its invoice and shows the amounts of the note. */
import assert from "node:assert/strict";
import type { ApiCreditNote, CreditNoteRow } from "../../credit/index.ts";
import type { FeeRow, InvoiceRow } from "../../invoicing/index.ts";
import { type DocumentRow, headerIn } from "../documents/index.ts";
import { feeLine, type Speech } from "./fee-lines.ts";
import { createFormats } from "./formats.ts";
import type { Page } from "./page.ts";
import { paperOf, partiesOf } from "./parties.ts";
import { taxNotes, taxTotals } from "./taxes.ts";
import { wordsOf } from "./words/index.ts";

export type NoteParts = {
  document: DocumentRow;
  row: CreditNoteRow;
  note: ApiCreditNote;
  invoice: InvoiceRow;
  fees: readonly FeeRow[];
};

export function creditNotePage({ document, row, note, invoice, fees }: NoteParts): Page {
  const { locale } = document;
  const header = headerIn(document);
  assert(invoice.time_zone && invoice.issuing_date, "a credited invoice is finalized");
  const words = wordsOf(locale);
  const formats = createFormats(locale, note.currency);
  const speech = { words, formats, timeZone: invoice.time_zone };
  const credited = `${note.invoice_number} (${formats.date(invoice.issuing_date)})`;
  return {
    locale,
    paper: paperOf(header),
    title: words.creditNote,
    number: note.number,
    date: { year: row.issuing_date.year, month: row.issuing_date.month, day: row.issuing_date.day },
    facts: [
      { label: words.number, value: note.number },
      { label: words.issueDate, value: formats.date(row.issuing_date) },
      { label: words.creditedInvoice, value: credited },
      { label: words.reason, value: words[note.reason] },
      { label: words.currency, value: note.currency },
      ...header.metadata.map(({ key, value }) => ({ label: key, value })),
    ],
    ...partiesOf(header, words.creditTo, speech),
    headline: formats.amount(note.total_amount_cents),
    columns: [words.item, words.units, words.unitPrice, words.tax, words.amount],
    sections: [{ heading: words.items, lines: linesOf(note, fees, speech) }],
    totals: totalsOf(note, speech),
    notes: [...(note.description ? [note.description] : []), ...taxNotes(note.applied_taxes)],
    footer: header.footer ?? "",
    pageNumber: words.page,
  };
}

/** The credited part of a fee. The invoice shows how the fee was computed. */
function linesOf(note: ApiCreditNote, fees: readonly FeeRow[], speech: Speech): Page["sections"][number]["lines"] {
  const rows = new Map(fees.map((fee) => [fee.id, fee]));
  return note.items.map(({ fee, amount_cents }) => {
    const row = rows.get(fee.svc_id);
    assert(row, "an item has a fee");
    const line = feeLine(row, speech);
    return { ...line, units: "", unitPrice: "", parts: [], amount: speech.formats.amount(amount_cents) };
  });
}

function totalsOf(note: ApiCreditNote, { words, formats }: Speech): Page["totals"] {
  const plain = (label: string, cents: bigint) => ({ label, amount: formats.amount(cents), isMain: false });
  const coupons = note.coupons_adjustment_amount_cents;
  return [
    ...(coupons > 0n ? [plain(words.couponsShare, -coupons)] : []),
    plain(words.subTotal, note.sub_total_excluding_taxes_amount_cents),
    ...taxTotals(
      note.applied_taxes.map((tax) => ({ ...tax, base: tax.base_amount_cents })),
      { words, formats },
    ),
    { ...plain(words.totalCredited, note.total_amount_cents), isMain: true },
    ...(note.credit_amount_cents > 0n ? [plain(words.toCredit, note.credit_amount_cents)] : []),
    ...(note.refund_amount_cents > 0n ? [plain(words.toRefund, note.refund_amount_cents)] : []),
  ];
}
