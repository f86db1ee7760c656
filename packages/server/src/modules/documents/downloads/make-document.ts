/** Creates the file of a document outside of any transaction. The first worker to finish saves the file and publishes the message. */
import assert from "node:assert/strict";
import { publish } from "../../../jobs/outbox.ts";
import type { JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { PdfRenderer } from "../../../platform/pdf/render-pdf.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { type Database, inOrganization, inSnapshot, type Tx } from "../../../platform/postgres/database.ts";
import { describeForMessage, describeNote, findNote } from "../../credit/index.ts";
import { describeInvoices, findFees, findInvoice } from "../../invoicing/index.ts";
import { createLinks, type DocumentRow, type DocumentSubject, findDocumentOf, keepFile } from "../documents/index.ts";
import { findLogo } from "../logos/index.ts";
import { creditNotePage } from "./credit-note-page.ts";
import { loadPageOf } from "./load-invoice-page.ts";
import type { Page } from "./page.ts";
import { jobOfPage } from "./page-job.ts";

export type DownloadDeps = { db: Database; clock: Clock; pdf: PdfRenderer };

export const MAKE_JOB = "make_document";
export type MakeJob = { subject: DocumentSubject; baseUrl: string };

export const documentJobs = (deps: DownloadDeps): Readonly<Record<string, JobHandler>> => ({
  [MAKE_JOB]: (organizationId, payload) => makeDocument(deps, organizationId, payload as MakeJob),
});

export async function makeDocument(
  { db, clock, pdf }: DownloadDeps,
  organizationId: string,
  { subject, baseUrl }: MakeJob,
): Promise<void> {
  const { document, page, logo } = await inSnapshot(db, organizationId, async (tx) => {
    const loaded = await loadPage(tx, organizationId, subject);
    const { logo_digest } = loaded.document;
    return { ...loaded, logo: logo_digest && (await findLogo(tx, organizationId, logo_digest)) };
  });
  if (document.digest !== null) return;
  const content = await pdf.render(jobOfPage(page, { version: document.template_version, logo: logo || null }));
  await inOrganization(db, organizationId, async (tx) => {
    const now = clock.now();
    if (!(await keepFile(tx, organizationId, document.id, { content, at: now }))) return;
    const toLink = await createLinks(tx, organizationId, { baseUrl, now });
    const fileUrl = toLink(document.id, page.number);
    const published = { ...(await publishedOf(tx, organizationId, subject, fileUrl)), once: true };
    await publish(alone(tx), organizationId, published, now);
  });
}

async function loadPage(
  tx: Tx,
  organizationId: string,
  subject: DocumentSubject,
): Promise<{ document: DocumentRow; page: Page }> {
  const document = await findDocumentOf(tx, organizationId, subject);
  assert(document, "a document is issued before its file is created");
  if ("invoiceId" in subject) {
    const row = await findInvoice(tx, organizationId, subject.invoiceId);
    assert(row, "a document has an invoice");
    return { document, page: await loadPageOf(tx, organizationId, row, document) };
  }
  const row = await findNote(tx, organizationId, subject.creditNoteId);
  const invoice = row && (await findInvoice(tx, organizationId, row.invoice_id));
  assert(row && invoice, "a document has a credit note of an invoice");
  const note = await describeNote(alone(tx), organizationId, row);
  const feeIds = note.items.map(({ fee }) => fee.svc_id);
  const fees = await findFees(tx, organizationId, feeIds);
  return { document, page: creditNotePage({ document, row, note, invoice, fees }) };
}

async function publishedOf(tx: Tx, organizationId: string, subject: DocumentSubject, fileUrl: string) {
  if ("invoiceId" in subject) {
    const row = await findInvoice(tx, organizationId, subject.invoiceId);
    const [invoice] = row ? await describeInvoices(alone(tx), organizationId, [row]) : [];
    const object = { ...invoice, file_url: fileUrl };
    return { webhookType: "invoice.generated", objectType: "invoice", objectId: subject.invoiceId, object };
  }
  const row = await findNote(tx, organizationId, subject.creditNoteId);
  assert(row, "a document has a credit note");
  const object = { ...(await describeForMessage(alone(tx), organizationId, row)), file_url: fileUrl };
  return { webhookType: "credit_note.generated", objectType: "credit_note", objectId: row.id, object };
}
