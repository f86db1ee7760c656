/** Maps a coupon between the database and core. */
import assert from "node:assert/strict";
import type { Coupon, CouponFrequency, CouponLimit, CouponValue } from "@tallystick/core/catalog";
import { currency, minor } from "@tallystick/core/money";
import type { Selectable } from "kysely";
import type { DB } from "../../../platform/postgres/schema.ts";

export type CouponRow = Selectable<DB["coupons"]>;

/** The codes of the live plans and metrics that a coupon is limited to. */
export type LimitCodes = { readonly plans: readonly string[]; readonly metrics: readonly string[] };

/** The limit of the column. No customer will get as many invoices. */
export const FREQUENCY_DURATION_MAX = 2 ** 31 - 1;

/** The columns of a coupon, without its limit: the plans or metrics are separate rows, saved with it. */
export function toRow({ value, frequency, ...coupon }: Coupon) {
  return {
    code: coupon.code,
    name: coupon.name,
    description: coupon.description,
    coupon_type: value.type,
    amount_cents: value.type === "fixed_amount" ? value.amountMinor : null,
    amount_currency: value.type === "fixed_amount" ? value.currency : null,
    percentage_rate: value.type === "percentage" ? value.rate : null,
    frequency: frequency.type,
    frequency_duration: frequency.type === "recurring" ? frequency.invoices : null,
    reusable: coupon.isReusable,
    expiration_at: coupon.expiresAt,
  };
}

export function fromRow(row: CouponRow, codes: LimitCodes): Coupon {
  return {
    code: row.code,
    name: row.name,
    description: row.description,
    value: valueFromRow(row),
    frequency: frequencyFromRow(row),
    limit: limitFromRow(row, codes),
    expiresAt: row.expiration_at,
    isReusable: row.reusable,
  };
}

function valueFromRow({ amount_cents, amount_currency, percentage_rate }: CouponRow): CouponValue {
  if (percentage_rate !== null) return { type: "percentage", rate: percentage_rate };
  assert(amount_cents !== null && amount_currency !== null, "a coupon has a percentage or an amount");
  return { type: "fixed_amount", amountMinor: minor(amount_cents), currency: currency(amount_currency) };
}

function frequencyFromRow({ frequency, frequency_duration }: CouponRow): CouponFrequency {
  if (frequency_duration !== null) return { type: "recurring", invoices: frequency_duration };
  return { type: frequency === "forever" ? "forever" : "once" };
}

function limitFromRow({ limited_to }: CouponRow, codes: LimitCodes): CouponLimit {
  if (limited_to === "plans") return { type: "plans", codes: codes.plans };
  if (limited_to === "billable_metrics") return { type: "metrics", codes: codes.metrics };
  return { type: "none" };
}
