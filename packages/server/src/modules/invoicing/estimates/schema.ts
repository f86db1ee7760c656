/** Estimates: what the API takes. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText, nullable } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { estimatedFeeSchema } from "./fee-to-api.ts";

const estimatedEvent = Type.Object({
  external_subscription_id: mandatoryText(255, "Of an active subscription"),
  code: mandatoryText(255, "Of a billable metric that the plan charges in advance"),
  properties: Type.Optional(
    nullable(
      Type.Unsafe<object>({
        type: "object",
        description: "As they would be sent with the event",
        examples: [{ gigabytes: "12.5" }],
      }),
    ),
  ),
});

export const estimateFeesSchema = {
  summary: "Estimate the fees of an event",
  description:
    "What the event would cost if it came now: one fee for each charge in advance on its metric. Nothing is stored, so the ids are null.",
  tags: ["Usage"],
  body: envelope("event", estimatedEvent),
  response: { 200: Type.Object({ fees: Type.Array(estimatedFeeSchema) }), ...ERROR_RESPONSES },
};
