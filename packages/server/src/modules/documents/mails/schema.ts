/** Mails: what the API takes and gives. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, instant, nullable, oneOf, toApiInstant, toApiInstantOrNull } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import type { Mailed } from "./resend-mail.ts";

const STATUSES = ["queued", "sending", "sent", "failed", "unknown", "suppressed"] as const;

const mailSchema = Type.Object({
  svc_id: id(),
  svc_invoice_id: nullable(id("The invoice that it brings")),
  svc_credit_note_id: nullable(id("The credit note that it brings")),
  recipients: Type.Array(Type.String()),
  subject: Type.String(),
  status: Type.String({
    description:
      "`queued`, `sending`, `sent`, `failed` (refused, or given up), `unknown` (the connection or the service ended before the server's answer: it may have been sent, and is not sent again by itself), `suppressed` (mail is off, or the organization is a sandbox)",
  }),
  attempts: Type.Integer(),
  last_error: nullable(Type.String({ description: "Why it is not sent, or for whom it was refused" })),
  created_at: instant(),
  settled_at: nullable(instant("When it was sent, or nothing more was tried")),
});

const tags = ["Mails"];
const params = Type.Object({ svc_id: Type.String() });
const description =
  "For a mail that failed or may be lost, or a document that was not mailed, to the addresses that the customer has now. What was sent is not sent again.";
const response = { 200: envelope("mail", mailSchema), ...ERROR_RESPONSES };

export const listMailsSchema = {
  summary: "List the mails that bring documents to customers",
  tags,
  querystring: Type.Object({ ...pageQuery, status: Type.Optional(oneOf(STATUSES)) }),
  response: { 200: listEnvelope("mails", mailSchema), ...ERROR_RESPONSES },
};
export const resendInvoiceSchema = { summary: "Mail a finalized invoice", description, tags, params, response };
export const resendCreditNoteSchema = { summary: "Mail a credit note", description, tags, params, response };

export const toApiMail = ({ mail, document }: Mailed): Static<typeof mailSchema> => ({
  svc_id: mail.id,
  svc_invoice_id: document.invoice_id,
  svc_credit_note_id: document.credit_note_id,
  recipients: mail.recipients,
  subject: mail.subject,
  status: mail.status,
  attempts: mail.attempts,
  last_error: mail.last_error,
  created_at: toApiInstant(mail.created_at),
  settled_at: toApiInstantOrNull(mail.settled_at),
});
