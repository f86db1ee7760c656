/** The content of an email: a document and the figures of its invoice or credit note, which never change after issue. */
import assert from "node:assert/strict";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findNote } from "../../credit/index.ts";
import { findInvoice } from "../../invoicing/index.ts";
import { type DocumentRow, type DocumentSubject, headerIn } from "../documents/index.ts";

export type Letter = {
  kind: "invoice" | "credit_note";
  locale: string;
  seller: string;
  /** Replies go here. */
  sellerAddresses: readonly string[];
  buyerAddresses: readonly string[];
  number: string;
  currency: string;
  issuingDate: Temporal.PlainDate;
  totalCents: bigint;
  /** The total of the fees before coupons and credits. */
  feesCents: bigint;
  /** null: there is nothing to pay. */
  dueDate: Temporal.PlainDate | null;
  creditedInvoice: string | null;
};

export const subjectOf = ({ invoice_id, credit_note_id }: DocumentRow): DocumentSubject => {
  if (invoice_id !== null) return { invoiceId: invoice_id };
  assert(credit_note_id !== null, "a document has an invoice or a credit note");
  return { creditNoteId: credit_note_id };
};

export async function loadLetter(tx: Tx, organizationId: string, document: DocumentRow): Promise<Letter> {
  const { seller, buyer } = headerIn(document);
  const parties = {
    locale: document.locale,
    seller: inOneLine(seller.legal_name?.trim() || seller.name || ""),
    sellerAddresses: addressesIn(seller.email),
    buyerAddresses: addressesIn(buyer.email),
  };
  const subject = subjectOf(document);
  if ("invoiceId" in subject) {
    const row = await findInvoice(tx, organizationId, subject.invoiceId);
    assert(row?.number && row.currency && row.issuing_date, "an emailed invoice is finalized");
    const { number, currency, issuing_date: issuingDate, total_amount_cents: totalCents } = row;
    const dueDate = totalCents > 0n ? row.payment_due_date : null;
    const figures = { number, currency, issuingDate, totalCents, feesCents: row.fees_amount_cents, dueDate };
    return { kind: "invoice", ...parties, ...figures, creditedInvoice: null };
  }
  const row = await findNote(tx, organizationId, subject.creditNoteId);
  assert(row, "a document has a credit note");
  const { number, currency, issuing_date: issuingDate, total_amount_cents: totalCents } = row;
  const figures = { number, currency, issuingDate, totalCents, feesCents: totalCents, dueDate: null };
  return { kind: "credit_note", ...parties, ...figures, creditedInvoice: row.invoice_number };
}

/** A customer can have several addresses, separated by commas. */
export const addressesIn = (text: string | null): string[] => [
  ...new Set((text ?? "").split(",").flatMap((part) => part.trim() || [])),
];

/** Prevents header injection and changes of text direction. */
export const inOneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, " ").trim();
