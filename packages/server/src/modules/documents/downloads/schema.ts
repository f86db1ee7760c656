/** Request and response schemas of downloads. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { creditNoteSchema } from "../../credit/index.ts";
import { invoiceSchema } from "../../invoicing/index.ts";

const params = Type.Object({ svc_id: Type.String() });
const description =
  "While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days.";

/** The PDF is not ready. */
const generating = Type.Object(
  { status: Type.Literal("generating"), retry_after: Type.Integer({ description: "Seconds; also in `Retry-After`" }) },
  {
    description: "The PDF is being created. Repeat the request after `Retry-After` seconds",
    examples: [{ status: "generating", retry_after: 2 }],
  },
);

export const downloadInvoiceSchema = {
  summary: "Get the PDF of a finalized invoice",
  description,
  tags: ["Invoices"],
  params,
  response: { 200: envelope("invoice", invoiceSchema), 202: generating, ...ERROR_RESPONSES },
};
export const showPagesSchema = {
  summary: "Show the pages of an invoice",
  description:
    "The document as its customer sees it, each page as an SVG. Also for a draft, with its current amounts. Texts are outlines, and there are " +
    "no scripts: show a page as an image, with a `data:image/svg+xml` address.",
  tags: ["Invoices"],
  params,
  response: {
    200: Type.Object(
      {
        pages: Type.Array(
          namedObject("InvoicePage", {
            number: Type.Integer({ description: "From 1" }),
            svg: Type.String({ description: "The drawing, whose root is `svg`" }),
          }),
        ),
      },
      { description: "The pages, in order" },
    ),
    ...ERROR_RESPONSES,
  },
};
export const downloadCreditNoteSchema = {
  summary: "Get the PDF of a credit note",
  description,
  tags: ["Credit notes"],
  params,
  response: { 200: envelope("credit_note", creditNoteSchema), 202: generating, ...ERROR_RESPONSES },
};
