/** Current usage: what the API takes. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText } from "../../http/fields.ts";
import { ERROR_RESPONSES } from "../../http/openapi.ts";
import { customerUsageSchema } from "./to-api.ts";

export const showCurrentUsage = {
  summary: "Show what a customer has used in the current period",
  description:
    "All events of the period that were accepted until now, to the end of the period, priced as its invoice will be, without " +
    "coupons, credits, minimums and the fee of the plan. What a charge in advance comes to is the price of the most that was used: " +
    "the fees of its events are rounded one by one and may sum to a little more or less.",
  tags: ["Usage"],
  params: Type.Object({ external_id: Type.String() }),
  querystring: Type.Object({
    external_subscription_id: mandatoryText(255, "Of an active subscription of the customer"),
    apply_taxes: Type.Optional(
      Type.Unsafe<unknown>({ "x-type": "boolean", description: "`false` leaves taxes out: they are 0. Default true" }),
    ),
  }),
  response: { 200: envelope("customer_usage", customerUsageSchema), ...ERROR_RESPONSES },
};
