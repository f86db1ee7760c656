/** Request and response schemas of downloads. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { creditNoteSchema } from "../../credit/index.ts";
import { invoiceSchema } from "../../invoicing/index.ts";

const params = Type.Object({ svc_id: Type.String() });
const description =
  "The first request returns an empty response and starts creating the PDF. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days.";

export const downloadInvoiceSchema = {
  summary: "Get the PDF of a finalized invoice",
  description,
  tags: ["Invoices"],
  params,
  response: { 200: envelope("invoice", invoiceSchema), ...ERROR_RESPONSES },
};
export const downloadCreditNoteSchema = {
  summary: "Get the PDF of a credit note",
  description,
  tags: ["Credit notes"],
  params,
  response: { 200: envelope("credit_note", creditNoteSchema), ...ERROR_RESPONSES },
};
