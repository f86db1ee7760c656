import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText, nullable } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { extendedInvoiceSchema } from "../invoices/index.ts";

export const writeOffSchema = {
  summary: "Write off the amount due of an invoice",
  description:
    "The written-off amount is no longer due, and the invoice is not overdue for it. The invoice and its documents do not change.",
  tags: ["Invoices"],
  params: Type.Object({ svc_id: Type.String() }),
  body: Type.Object(
    {
      amount_cents: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "A part of the amount due; default: all of it",
          }),
        ),
      ),
      reason: mandatoryText(1000, "Why it will not be paid"),
    },
    { examples: [{ reason: "The customer is insolvent." }] },
  ),
  response: { 200: envelope("invoice", extendedInvoiceSchema), ...ERROR_RESPONSES },
};
