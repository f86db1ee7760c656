/** Response schemas of applied coupons. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { id, instant, nullable, oneOf, toApiDecimal, toApiInstant, toApiInstantOrNull } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { CouponRow } from "../../catalogue/index.ts";
import type { CustomerRow } from "../../customers/index.ts";
import { creditSchema } from "../../invoicing/index.ts";
import type { AppliedCouponRow } from "./row.ts";

export const STATUSES = ["active", "terminated"] as const;

export const appliedCouponSchema = namedObject("AppliedCoupon", {
  svc_id: id(),
  svc_coupon_id: id(),
  coupon_code: Type.String(),
  coupon_name: Type.String(),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  status: oneOf(STATUSES),
  amount_cents: nullable(Type.Integer()),
  amount_cents_remaining: nullable(Type.Integer({ description: "For an amount that applies once: the unused part" })),
  amount_currency: nullable(Type.String()),
  percentage_rate: nullable(Type.String({ description: "A decimal", examples: ["12.5"] })),
  frequency: oneOf(["once", "recurring", "forever"]),
  frequency_duration: nullable(Type.Integer()),
  frequency_duration_remaining: nullable(Type.Integer({ description: "The number of invoices that can still use it" })),
  expiration_at: nullable(instant("Until when the coupon can be applied. An applied coupon does not expire then")),
  created_at: instant(),
  terminated_at: nullable(instant()),
});
export type ApiAppliedCoupon = Static<typeof appliedCouponSchema>;

/** The form of a list, with the credits on invoices. */
export const listedAppliedCouponSchema = namedObject("AppliedCouponWithCredits", {
  ...appliedCouponSchema.properties,
  credits: Type.Array(creditSchema),
});

export const toApiAppliedCoupon = (
  row: AppliedCouponRow,
  coupon: CouponRow,
  customer: Pick<CustomerRow, "external_id">,
): ApiAppliedCoupon => ({
  svc_id: row.id,
  svc_coupon_id: row.coupon_id,
  coupon_code: coupon.code,
  coupon_name: coupon.name,
  svc_customer_id: row.customer_id,
  external_customer_id: customer.external_id,
  status: row.status,
  amount_cents: toNumber(row.amount_cents),
  amount_cents_remaining: toNumber(row.amount_left_cents),
  amount_currency: row.amount_currency,
  percentage_rate: row.percentage_rate === null ? null : toApiDecimal(row.percentage_rate),
  frequency: row.frequency,
  frequency_duration: row.frequency_duration,
  frequency_duration_remaining: row.frequency === "recurring" ? row.uses_left : null,
  expiration_at: toApiInstantOrNull(coupon.expiration_at),
  created_at: toApiInstant(row.created_at),
  terminated_at: toApiInstantOrNull(row.terminated_at),
});

const toNumber = (cents: bigint | null): number | null => (cents === null ? null : Number(cents));
