/** Writes an email: subject, text and HTML in the language of the document. The HTML loads nothing from the network. */
import { createFormats, fill, wordsOf } from "../downloads/index.ts";
import { inOneLine, type Letter } from "./letter.ts";
import { mailWordsOf } from "./words.ts";

export function mailSubject({ kind, locale, number, seller }: Letter): string {
  const { invoiceSubject, creditNoteSubject } = mailWordsOf(locale);
  return inOneLine(fill(kind === "invoice" ? invoiceSubject : creditNoteSubject, { number, seller }));
}

export function composeMail(letter: Letter, subject: string): { text: string; html: string } {
  const { kind, locale, seller, sellerAddresses } = letter;
  const { invoiceAttached, creditNoteAttached, questions } = mailWordsOf(locale);
  const parts = {
    subject,
    attached: kind === "invoice" ? invoiceAttached : creditNoteAttached,
    facts: factsOf(letter),
    // Replies reach the seller only if the seller has an address.
    ending: sellerAddresses.length > 0 ? [questions, seller] : [seller],
  };
  return { text: toText(parts), html: toHtml(parts, locale) };
}

/** An email without a document, in English. */
export const composeNotice = (subject: string, text: string): { text: string; html: string } => ({
  text,
  html: page(subject, "en", [`<p style="white-space:pre-line">${escaped(text)}</p>`]),
});

/** The name of the attachment. */
export const fileName = ({ number }: Letter): string => `${number.replace(/[^\p{L}\p{N}._-]/gu, "_")}.pdf`;

type Fact = { label: string; value: string };

function factsOf({ kind, locale, number, currency, issuingDate, totalCents, dueDate, creditedInvoice }: Letter) {
  const words = wordsOf(locale);
  const formats = createFormats(locale, currency);
  const facts: Fact[] = [
    { label: words.number, value: inOneLine(number) },
    { label: words.issueDate, value: formats.date(issuingDate) },
  ];
  if (creditedInvoice !== null) facts.push({ label: words.creditedInvoice, value: inOneLine(creditedInvoice) });
  if (dueDate !== null) facts.push({ label: words.dueDate, value: formats.date(dueDate) });
  const total = kind === "invoice" ? words.totalDue : words.totalCredited;
  facts.push({ label: total, value: formats.amount(totalCents) });
  return facts;
}

type Parts = { subject: string; attached: string; facts: readonly Fact[]; ending: readonly string[] };

const toText = ({ subject, attached, facts, ending }: Parts): string =>
  [subject, attached, facts.map(({ label, value }) => `${label}: ${value}`).join("\n"), ...ending].join("\n\n");

const BODY = "margin:0;padding:24px;background:#ffffff;color:#1c1c1e;font:16px/1.5 Helvetica,Arial,sans-serif";
const CELL = "padding:4px 24px 4px 0;text-align:start;vertical-align:top";

function toHtml({ subject, attached, facts, ending }: Parts, locale: string): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th scope="row" style="${CELL};font-weight:normal;color:#5c5c60">${escaped(label)}</th>` +
      `<td style="${CELL};font-weight:bold"><bdi>${escaped(value)}</bdi></td></tr>`,
  );
  return page(subject, locale, [
    `<p>${escaped(attached)}</p>`,
    `<table style="border-collapse:collapse;margin:16px 0">${rows.join("")}</table>`,
    ...ending.map((line) => `<p>${escaped(line)}</p>`),
  ]);
}

const page = (subject: string, locale: string, content: readonly string[]): string =>
  [
    "<!doctype html>",
    `<html lang="${escaped(locale)}"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(subject)}</title></head>`,
    `<body style="${BODY}">`,
    `<h1 style="font-size:20px;margin:0 0 16px"><bdi>${escaped(subject)}</bdi></h1>`,
    ...content,
    "</body></html>",
  ].join("\n");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
