/** Request and response schemas of emails. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, instant, nullable, toApiInstant, toApiInstantOrNull } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import type { Mailed } from "./resend-mail.ts";

const STATUSES = ["queued", "sending", "sent", "failed", "unknown", "suppressed"] as const;

const mailSchema = namedObject("Mail", {
  svc_id: id(),
  svc_invoice_id: nullable(id("The attached invoice")),
  svc_credit_note_id: nullable(id("The attached credit note")),
  recipients: Type.Array(Type.String()),
  subject: Type.String(),
  status: Type.String({
    description:
      "`queued`, `sending`, `sent`, `failed` (refused, or all attempts failed), `unknown` (the connection or the service ended before the server answered: the email may have been sent, and is not retried automatically), `suppressed` (email is off, or the organization is a sandbox)",
  }),
  attempts: Type.Integer(),
  last_error: nullable(Type.String({ description: "Why the email was not sent, or which recipients were refused" })),
  created_at: instant(),
  settled_at: nullable(instant("When the email was sent or the last attempt ended")),
});

const tags = ["Mails"];
const params = Type.Object({ svc_id: Type.String() });
const description =
  "Sends an email that failed or may be lost, or a document that was not emailed, to the customer's current addresses. A sent email is not sent again.";
const response = { 200: envelope("mail", mailSchema), ...ERROR_RESPONSES };

export const mailList = declareList({ sorts: ["-created_at"], choices: { status: STATUSES } });
export const listMailsSchema = {
  summary: "List the emails that deliver documents to customers",
  description: "Newest first.",
  tags,
  querystring: mailList.querystring,
  response: { 200: listEnvelope("mails", mailSchema), ...ERROR_RESPONSES },
};
export const resendInvoiceSchema = { summary: "Email a finalized invoice", description, tags, params, response };
export const resendCreditNoteSchema = { summary: "Email a credit note", description, tags, params, response };

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
