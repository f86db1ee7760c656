/** Request schemas of fees. Response schemas are in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, formatted, oneOf } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { FEE_PAYMENT_STATUSES, FEE_TYPES, feeSchema } from "./to-api.ts";

const tags = ["Fees"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("fee", feeSchema), ...ERROR_RESPONSES };

const moment = () => formatted("datetime", { examples: ["2026-01-31T00:00:00Z"] });

export const feeList = declareList({
  sorts: ["created_at"],
  choices: { fee_type: FEE_TYPES, payment_status: FEE_PAYMENT_STATUSES },
  texts: {
    invoice_id: Type.String(),
    external_customer_id: Type.String(),
    external_subscription_id: Type.String(),
    billable_metric_code: Type.String(),
    currency: Type.String(),
    event_transaction_id: Type.String(),
    created_at_from: moment(),
    created_at_to: moment(),
    succeeded_at_from: moment(),
    succeeded_at_to: moment(),
    failed_at_from: moment(),
    failed_at_to: moment(),
    refunded_at_from: moment(),
    refunded_at_to: moment(),
  },
});

export const listFees = {
  summary: "List fees",
  description: "Oldest first.",
  tags,
  querystring: feeList.querystring,
  response: { 200: listEnvelope("fees", feeSchema), ...ERROR_RESPONSES },
};
export const showFee = { summary: "Show a fee", description: "With its taxes.", tags, params, response };
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
