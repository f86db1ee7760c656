/** The page of an invoice, and of a draft, which is not issued yet, and so is drawn with the current parties. */
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeInvoice, findFeesOfInvoices, type InvoiceRow } from "../../invoicing/index.ts";
import { type Drawn, describeDocument, findDocumentOf } from "../documents/index.ts";
import { findLogo } from "../logos/index.ts";
import { invoicePage } from "./invoice-page.ts";
import { jobOfPage } from "./page-job.ts";

export async function loadPageOf(tx: Tx, organizationId: string, row: InvoiceRow, document: Drawn) {
  const invoice = await describeInvoice(alone(tx), organizationId, row);
  const fees = await findFeesOfInvoices(alone(tx), organizationId, [row.id]);
  return invoicePage({ document, row, invoice, fees });
}

export async function loadPageJob(tx: Tx, organizationId: string, row: InvoiceRow) {
  const issued = await findDocumentOf(tx, organizationId, { invoiceId: row.id });
  const document = issued ?? (await describeDocument(alone(tx), organizationId, row.customer_id));
  const page = await loadPageOf(tx, organizationId, row, document);
  const logo = document.logo_digest && (await findLogo(tx, organizationId, document.logo_digest));
  return jobOfPage(page, { version: document.template_version, logo: logo || null });
}
