import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText, nullable } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { extendedInvoiceSchema } from "../invoices/index.ts";

export const writeOffSchema = {
  summary: "Write off what is due of an invoice",
  description:
    "What is written off is not due any more, and the invoice is not overdue for it. The invoice and its documents stay as they are.",
  tags: ["Invoices"],
  params: Type.Object({ svc_id: Type.String() }),
  body: Type.Object(
    {
      amount_cents: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "A part of what is due; all of it unless given",
          }),
        ),
      ),
      reason: mandatoryText(1000, "Why it will not be paid"),
    },
    { examples: [{ reason: "The customer is insolvent." }] },
  ),
  response: { 200: envelope("invoice", extendedInvoiceSchema), ...ERROR_RESPONSES },
};
