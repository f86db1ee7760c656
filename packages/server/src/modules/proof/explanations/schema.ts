/** Request schemas of explanations. Response schemas are in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { pageQuery } from "../../../http/pagination.ts";
import { contributionSchema, eventsMetaSchema, feeExplanationSchema, invoiceExplanationSchema } from "./to-api.ts";

const params = Type.Object({ svc_id: Type.String() });

export const showFeeExplanation = {
  summary: "Explain a fee",
  description:
    "How the amount of the fee was computed, from data stored when it was billed, with the lines that add up to it.",
  tags: ["Fees"],
  params,
  response: { 200: envelope("explanation", feeExplanationSchema), ...ERROR_RESPONSES },
};

export const listFeeEvents = {
  summary: "List the events of a fee with their contributions",
  description:
    "Events are in order of time. The contributions on all pages add up to the line `events` of the explanation. Later pages are as fast as the first.",
  tags: ["Fees"],
  params,
  querystring: Type.Object({
    cursor: Type.Optional(Type.String({ description: "The `next_cursor` of the previous page", maxLength: 8000 })),
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
  description: "How the total of the invoice and the amount of each fee were computed, step by step.",
  tags: ["Invoices"],
  params,
  response: { 200: envelope("explanation", invoiceExplanationSchema), ...ERROR_RESPONSES },
};
