/** Coupon: the API's responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { id, instant, nullable, oneOf, toApiDecimal, toApiInstant, toApiInstantOrNull } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { CouponRow, LimitCodes } from "./row.ts";

export const couponSchema = namedObject("Coupon", {
  svc_id: id(),
  name: Type.String(),
  code: Type.String(),
  description: nullable(Type.String()),
  coupon_type: oneOf(["fixed_amount", "percentage"]),
  amount_cents: nullable(Type.Integer()),
  amount_currency: nullable(Type.String()),
  percentage_rate: nullable(Type.String({ description: "A decimal", examples: ["12.5"] })),
  frequency: oneOf(["once", "recurring", "forever"]),
  frequency_duration: nullable(Type.Integer()),
  reusable: Type.Boolean(),
  limited_plans: Type.Boolean({
    description: "Also true if all of its plans are deleted: then the coupon applies to nothing",
  }),
  plan_codes: Type.Array(Type.String()),
  limited_billable_metrics: Type.Boolean({ description: "Also true if all of its metrics are deleted" }),
  billable_metric_codes: Type.Array(Type.String()),
  expiration: oneOf(["no_expiration", "time_limit"]),
  expiration_at: nullable(instant()),
  created_at: instant(),
  terminated_at: nullable(
    instant("From when the coupon can no longer be applied: its expiration_at, once that has passed"),
  ),
});
export type ApiCoupon = Static<typeof couponSchema>;

export function toApiCoupon(row: CouponRow, codes: LimitCodes, now: Temporal.Instant): ApiCoupon {
  return {
    svc_id: row.id,
    name: row.name,
    code: row.code,
    description: row.description,
    coupon_type: row.coupon_type,
    amount_cents: row.amount_cents === null ? null : Number(row.amount_cents),
    amount_currency: row.amount_currency,
    percentage_rate: row.percentage_rate === null ? null : toApiDecimal(row.percentage_rate),
    frequency: row.frequency,
    frequency_duration: row.frequency_duration,
    reusable: row.reusable,
    limited_plans: row.limited_to === "plans",
    plan_codes: [...codes.plans],
    limited_billable_metrics: row.limited_to === "billable_metrics",
    billable_metric_codes: [...codes.metrics],
    expiration: row.expiration_at === null ? "no_expiration" : "time_limit",
    expiration_at: toApiInstantOrNull(row.expiration_at),
    created_at: toApiInstant(row.created_at),
    terminated_at: toApiInstantOrNull(terminatedAt(row, now)),
  };
}

/** A coupon ends at its expiration without any job. */
function terminatedAt({ expiration_at: at }: CouponRow, now: Temporal.Instant): Temporal.Instant | null {
  return at !== null && Temporal.Instant.compare(at, now) <= 0 ? at : null;
}
