/** /mails, and the mails of invoices and credit notes. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { creditNoteErrors, findNote } from "../../credit/index.ts";
import { findInvoice, invoiceErrors } from "../../invoicing/index.ts";
import { findDocuments } from "../documents/index.ts";
import { type Resending, resendMail } from "./resend-mail.ts";
import { listMailsSchema, mailList, resendCreditNoteSchema, resendInvoiceSchema, toApiMail } from "./schema.ts";
import { pageOfMails } from "./store.ts";

export const mailRoutes =
  (deps: Resending): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/mails", { schema: listMailsSchema, config: { permission: "mail" } }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfMails(tx, organizationId, mailList.read(request.query));
        const documentIds = rows.map(({ document_id }) => document_id);
        const documents = new Map(
          (await findDocuments(tx, organizationId, documentIds)).map((document) => [document.id, document]),
        );
        const mails = rows.flatMap((mail) => {
          const document = documents.get(mail.document_id);
          return document ? [toApiMail({ mail, document })] : [];
        });
        return { mails, meta };
      }),
    );

    app.post(
      "/invoices/:svc_id/resend_email",
      { schema: resendInvoiceSchema, config: { permission: "invoice" } },
      (request) =>
        request.write(async (tx, organizationId) => {
          const row = await findInvoice(tx, organizationId, request.params.svc_id);
          if (row?.status !== "finalized") throw invoiceErrors.problem("invoice_not_found");
          const requested = { subject: { invoiceId: row.id }, customerId: row.customer_id };
          return { mail: toApiMail(await resendMail(tx, deps, organizationId, requested)) };
        }),
    );

    app.post(
      "/credit_notes/:svc_id/resend_email",
      { schema: resendCreditNoteSchema, config: { permission: "credit_note" } },
      (request) =>
        request.write(async (tx, organizationId) => {
          const row = await findNote(tx, organizationId, request.params.svc_id);
          if (!row) throw creditNoteErrors.problem("credit_note_not_found");
          const target = { subject: { creditNoteId: row.id }, customerId: row.customer_id };
          return { mail: toApiMail(await resendMail(tx, deps, organizationId, target)) };
        }),
    );
  };
