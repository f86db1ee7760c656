/** Request schemas of estimates. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText, nullable } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { estimatedFeeSchema } from "./fee-to-api.ts";

/** Members of a real event that change no price: so the same event can be estimated and sent. */
const ignored = Type.Optional(Type.Unsafe<unknown>({ description: "Ignored" }));

const estimatedEvent = Type.Object({
  transaction_id: ignored,
  timestamp: ignored,
  external_subscription_id: mandatoryText(255, "External id of an active subscription"),
  code: mandatoryText(255, "Code of a billable metric that the plan charges in advance"),
  properties: Type.Optional(
    nullable(
      Type.Unsafe<object>({
        type: "object",
        description: "The properties of the event",
        examples: [{ gigabytes: "12.5" }],
      }),
    ),
  ),
});

export const estimateFeesSchema = {
  summary: "Estimate the fees of an event",
  description:
    "The cost of the event if it arrived now: one fee for each charge in advance on its metric. Nothing is stored, so the ids are null.",
  tags: ["Usage"],
  body: envelope("event", estimatedEvent),
  response: { 200: Type.Object({ fees: Type.Array(estimatedFeeSchema) }), ...ERROR_RESPONSES },
};
