/** Explanations: what the API takes. What it gives is in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { pageQuery } from "../../../http/pagination.ts";
import { contributionSchema, eventsMetaSchema, feeExplanationSchema, invoiceExplanationSchema } from "./to-api.ts";

const params = Type.Object({ svc_id: Type.String() });

export const showFeeExplanation = {
  summary: "Explain a fee",
  description: "How its amount came about, from what was stored when it was billed, and the lines that add up to it.",
  tags: ["Fees"],
  params,
  response: { 200: envelope("explanation", feeExplanationSchema), ...ERROR_RESPONSES },
};

export const listFeeEvents = {
  summary: "List the events of a fee with what each contributed",
  description:
    "In order of time. The contributions of all pages add up to the line `events` of the explanation; a later page costs what the first does.",
  tags: ["Fees"],
  params,
  querystring: Type.Object({
    cursor: Type.Optional(Type.String({ description: "The `next_cursor` of the page before", maxLength: 8000 })),
    per_page: pageQuery.per_page,
  }),
  response: {
    200: Type.Object(
      { events: Type.Array(contributionSchema), meta: eventsMetaSchema },
      { description: "A page of the events" },
    ),
    ...ERROR_RESPONSES,
  },
};

export const showInvoiceExplanation = {
  summary: "Explain an invoice",
  description: "How its total came about, step by step, and how each of its fees did.",
  tags: ["Invoices"],
  params,
  response: { 200: envelope("explanation", invoiceExplanationSchema), ...ERROR_RESPONSES },
};
