/** Current usage: the API's requests. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText } from "../../http/fields.ts";
import { ERROR_RESPONSES } from "../../http/openapi.ts";
import { customerUsageSchema } from "./to-api.ts";

export const showCurrentUsage = {
  summary: "Show a customer's usage in the current period",
  description:
    "Includes all events of the period that were accepted so far, priced like the invoice at the end of the period, without " +
    "coupons, credits, minimums and the base fee of the plan. A charge in advance shows the price of its highest total: " +
    "the fees of its events are rounded one by one, so their sum may differ slightly.",
  tags: ["Usage"],
  params: Type.Object({ external_id: Type.String() }),
  querystring: Type.Object({
    external_subscription_id: mandatoryText(255, "External id of an active subscription of the customer"),
    apply_taxes: Type.Optional(
      Type.Unsafe<unknown>({
        "x-type": "boolean",
        description: "`false` omits taxes: they are 0. The default is true",
      }),
    ),
  }),
  response: { 200: envelope("customer_usage", customerUsageSchema), ...ERROR_RESPONSES },
};
