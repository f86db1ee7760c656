/** Texts that emails add to those of the document. Names in braces are placeholders. */
type MailWords = {
  invoiceSubject: string;
  creditNoteSubject: string;
  invoiceAttached: string;
  creditNoteAttached: string;
  questions: string;
};

const en: MailWords = {
  invoiceSubject: "Invoice {number} from {seller}",
  creditNoteSubject: "Credit note {number} from {seller}",
  invoiceAttached: "Your invoice is attached as a PDF file.",
  creditNoteAttached: "Your credit note is attached as a PDF file.",
  questions: "If you have questions, just reply to this message.",
};

const WORDS: Readonly<Record<string, MailWords>> = {
  en,
  de: {
    invoiceSubject: "Rechnung {number} von {seller}",
    creditNoteSubject: "Gutschrift {number} von {seller}",
    invoiceAttached: "Ihre Rechnung finden Sie als PDF-Datei im Anhang.",
    creditNoteAttached: "Ihre Gutschrift finden Sie als PDF-Datei im Anhang.",
    questions: "Bei Fragen antworten Sie einfach auf diese Nachricht.",
  },
  es: {
    invoiceSubject: "Factura {number} de {seller}",
    creditNoteSubject: "Nota de crédito {number} de {seller}",
    invoiceAttached: "Adjuntamos su factura en un archivo PDF.",
    creditNoteAttached: "Adjuntamos su nota de crédito en un archivo PDF.",
    questions: "Si tiene alguna pregunta, responda a este mensaje.",
  },
  fr: {
    invoiceSubject: "Facture {number} de {seller}",
    creditNoteSubject: "Avoir {number} de {seller}",
    invoiceAttached: "Vous trouverez votre facture en pièce jointe, au format PDF.",
    creditNoteAttached: "Vous trouverez votre avoir en pièce jointe, au format PDF.",
    questions: "Pour toute question, répondez simplement à ce message.",
  },
  it: {
    invoiceSubject: "Fattura {number} da {seller}",
    creditNoteSubject: "Nota di credito {number} da {seller}",
    invoiceAttached: "In allegato trova la Sua fattura in formato PDF.",
    creditNoteAttached: "In allegato trova la Sua nota di credito in formato PDF.",
    questions: "Per qualsiasi domanda, risponda a questo messaggio.",
  },
  nb: {
    invoiceSubject: "Faktura {number} fra {seller}",
    creditNoteSubject: "Kreditnota {number} fra {seller}",
    invoiceAttached: "Fakturaen din er vedlagt som PDF-fil.",
    creditNoteAttached: "Kreditnotaen din er vedlagt som PDF-fil.",
    questions: "Har du spørsmål, kan du svare på denne meldingen.",
  },
  sv: {
    invoiceSubject: "Faktura {number} från {seller}",
    creditNoteSubject: "Kreditnota {number} från {seller}",
    invoiceAttached: "Din faktura är bifogad som PDF-fil.",
    creditNoteAttached: "Din kreditnota är bifogad som PDF-fil.",
    questions: "Har du frågor kan du svara på det här meddelandet.",
  },
};

export const mailWordsOf = (locale: string): MailWords => WORDS[locale] ?? en;
