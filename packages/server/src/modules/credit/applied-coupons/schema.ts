/** Request schemas of applied coupons. Response schemas are in `to-api.ts`; core validates the terms. */
import { Type } from "@fastify/type-provider-typebox";
import { currencyCode, envelope, mandatoryText, nullable, oneOf } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { FREQUENCY_DURATION_MAX } from "../../catalogue/index.ts";
import { appliedCouponSchema, listedAppliedCouponSchema, STATUSES } from "./to-api.ts";

const tags = ["Applied coupons"];
const response = { 200: envelope("applied_coupon", appliedCouponSchema), ...ERROR_RESPONSES };
const ownTerm = "Default: the value of the coupon";

export const applyCouponSchema = {
  summary: "Apply a coupon to a customer",
  description: "Uses the terms of the coupon, except for the terms in the request.",
  tags,
  body: envelope(
    "applied_coupon",
    namedObject("AppliedCouponCreate", {
      external_customer_id: mandatoryText(),
      coupon_code: mandatoryText(),
      amount_cents: Type.Optional(
        nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: ownTerm })),
      ),
      amount_currency: Type.Optional(nullable(currencyCode())),
      percentage_rate: Type.Optional(nullable(Type.String({ description: ownTerm, examples: ["12.5"] }))),
      frequency: Type.Optional(nullable(oneOf(["once", "recurring", "forever"], { description: ownTerm }))),
      frequency_duration: Type.Optional(
        nullable(Type.Integer({ minimum: 1, maximum: FREQUENCY_DURATION_MAX, description: "The number of invoices" })),
      ),
    }),
  ),
  response,
};

export const appliedCouponList = declareList({
  sorts: ["-created_at"],
  choices: { status: STATUSES },
  texts: { external_customer_id: Type.String(), coupon_code: Type.String() },
});
export const listAppliedCouponsSchema = {
  summary: "List applied coupons",
  description: "Newest first, each with the amounts it credited on invoices.",
  tags,
  querystring: appliedCouponList.querystring,
  response: { 200: listEnvelope("applied_coupons", listedAppliedCouponSchema), ...ERROR_RESPONSES },
};

export const terminateCouponSchema = {
  summary: "Remove an applied coupon",
  description: "The coupon is no longer used. Earlier credits on invoices stay.",
  tags,
  params: Type.Object({ external_id: Type.String(), svc_id: Type.String() }),
  response,
};
