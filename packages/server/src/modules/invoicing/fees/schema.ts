/** Request schemas of fees. Response schemas are in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, formatted, oneOf } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import { FEE_PAYMENT_STATUSES, FEE_TYPES, feeSchema } from "./to-api.ts";

const tags = ["Fees"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("fee", feeSchema), ...ERROR_RESPONSES };

const moment = () => Type.Optional(formatted("datetime", { examples: ["2026-01-31T00:00:00Z"] }));
const optionalText = () => Type.Optional(Type.String());

export const listFees = {
  summary: "List fees",
  description: "Oldest first.",
  tags,
  querystring: Type.Object({
    ...pageQuery,
    fee_type: Type.Optional(oneOf(FEE_TYPES)),
    payment_status: Type.Optional(oneOf(FEE_PAYMENT_STATUSES)),
    external_customer_id: optionalText(),
    external_subscription_id: optionalText(),
    billable_metric_code: optionalText(),
    currency: optionalText(),
    event_transaction_id: optionalText(),
    created_at_from: moment(),
    created_at_to: moment(),
    succeeded_at_from: moment(),
    succeeded_at_to: moment(),
    failed_at_from: moment(),
    failed_at_to: moment(),
    refunded_at_from: moment(),
    refunded_at_to: moment(),
  }),
  response: { 200: listEnvelope("fees", feeSchema), ...ERROR_RESPONSES },
};
export const showFee = { summary: "Show a fee", tags, params, response };
export const changeFee = {
  summary: "Set the payment status of a fee",
  description: "Only for a fee without an invoice. Other fees are paid with their invoice.",
  tags,
  params,
  body: envelope("fee", Type.Object({ payment_status: oneOf(FEE_PAYMENT_STATUSES) })),
  response,
};
export const deleteFee = {
  summary: "Delete a fee",
  description: "Only for a fee without an invoice.",
  tags,
  params,
  response,
};
