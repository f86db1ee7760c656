/** The downloads of invoices and credit notes. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { enqueueJob } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { PdfRenderer } from "../../../platform/pdf/render-pdf.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { creditNoteErrors, describeNote, findNote } from "../../credit/index.ts";
import { describeInvoices, findInvoice, invoiceErrors } from "../../invoicing/index.ts";
import { createLinks, type DocumentSubject, findDocumentOf, issueDocument } from "../documents/index.ts";
import { loadPageJob } from "./load-invoice-page.ts";
import { MAKE_JOB, type MakeJob } from "./make-document.ts";
import { downloadCreditNoteSchema, downloadInvoiceSchema, showPagesSchema } from "./schema.ts";

export const downloadRoutes =
  ({ clock, pdf }: { clock: Clock; pdf: PdfRenderer }): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/invoices/:svc_id/pages",
      { schema: showPagesSchema, config: { permission: "invoice", rateBucket: "usage" } },
      async (request) => {
        const job = await request.read(async (tx, organizationId) => {
          const row = await findInvoice(tx, organizationId, request.params.svc_id);
          if (!row) throw invoiceErrors.problem("invoice_not_found");
          return loadPageJob(tx, organizationId, row);
        });
        const drawn = await pdf.renderPages(job);
        return { pages: drawn.map((svg, index) => ({ number: index + 1, svg })) };
      },
    );

    for (const path of ["/invoices/:svc_id/download", "/invoices/:svc_id/download_pdf"])
      app.post(path, { schema: downloadInvoiceSchema, config: { permission: "invoice" } }, async (request, reply) => {
        const answer = await request.write(async (tx, organizationId) => {
          const row = await findInvoice(tx, organizationId, request.params.svc_id);
          if (row?.status !== "finalized") throw invoiceErrors.problem("invoice_not_found");
          const requested = { subject: { invoiceId: row.id }, customerId: row.customer_id, name: row.number ?? "" };
          const file_url = await linkOrMake(tx, clock, organizationId, { ...requested, baseUrl: request.publicUrl });
          const [invoice] = await describeInvoices(alone(tx), organizationId, [row]);
          return file_url && invoice ? { invoice: { ...invoice, file_url } } : null;
        });
        return answer ?? sendLater(reply);
      });

    app.post(
      "/credit_notes/:svc_id/download",
      { schema: downloadCreditNoteSchema, config: { permission: "credit_note" } },
      async (request, reply) => {
        const answer = await request.write(async (tx, organizationId) => {
          const row = await findNote(tx, organizationId, request.params.svc_id);
          if (!row) throw creditNoteErrors.problem("credit_note_not_found");
          const target = { subject: { creditNoteId: row.id }, customerId: row.customer_id, name: row.number };
          const file_url = await linkOrMake(tx, clock, organizationId, { ...target, baseUrl: request.publicUrl });
          return file_url
            ? { credit_note: { ...(await describeNote(alone(tx), organizationId, row)), file_url } }
            : null;
        });
        return answer ?? sendLater(reply);
      },
    );
  };

/** A document is drawn within a second unless many are waiting. */
const RETRY_AFTER_SECONDS = 2;

/** The type of a route's answer is that of its 200. */
const sendLater = (reply: unknown) =>
  (reply as FastifyReply)
    .status(202)
    .header("Retry-After", String(RETRY_AFTER_SECONDS))
    .send({ status: "generating", retry_after: RETRY_AFTER_SECONDS }) as never;

type Requested = { subject: DocumentSubject; customerId: string; name: string; baseUrl: string };

/** null: the file is being created. */
async function linkOrMake(
  tx: Tx,
  clock: Clock,
  organizationId: string,
  { subject, customerId, name, baseUrl }: Requested,
): Promise<string | null> {
  const now = clock.now();
  const document = await findDocumentOf(tx, organizationId, subject);
  if (document?.digest) return (await createLinks(tx, organizationId, { baseUrl, now }))(document.id, name);
  // The invoice is older than the documents feature.
  if (!document) await issueDocument(alone(tx), organizationId, { subject, customerId, at: now });
  const job: MakeJob = { subject, baseUrl };
  await enqueueJob(tx, MAKE_JOB, job, { jobKey: `document ${Object.values(subject).join()}`, queue: "documents" });
  return null;
}
