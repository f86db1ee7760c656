/** A coupon: its discount, on how many invoices, until when, and for which fees. */
import { type Currency, type Decimal, type Minor, ZERO } from "../money/index.ts";
import {
  cents,
  codes,
  currencyCode,
  flag,
  instant,
  longText,
  type Members,
  name,
  object,
  oneOf,
  optional,
  type Reader,
  required,
  whole,
  withChange,
} from "./members.ts";
import { parsePercentage } from "./percentage.ts";
import { andThen, combine, type Faults, fault, ok, type Result } from "./result.ts";

export type CouponValue =
  | { readonly type: "fixed_amount"; readonly amountMinor: Minor; readonly currency: Currency }
  /** In percent: 12.5 is 12.5 %. */
  | { readonly type: "percentage"; readonly rate: Decimal };

/** once: until it is used up. recurring: on that many invoices. */
export type CouponFrequency =
  | { readonly type: "once" }
  | { readonly type: "recurring"; readonly invoices: number }
  | { readonly type: "forever" };

/** What it applies to: everything, the fees of some plans, or those of some metrics. */
export type CouponLimit =
  | { readonly type: "none" }
  | { readonly type: "plans"; readonly codes: readonly string[] }
  | { readonly type: "metrics"; readonly codes: readonly string[] };

export type Coupon = {
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly value: CouponValue;
  readonly frequency: CouponFrequency;
  readonly limit: CouponLimit;
  /** From this instant on it can no longer be applied. Applied coupons stay active. null: never. */
  readonly expiresAt: Temporal.Instant | null;
  /** Whether a customer who had it can get it again. */
  readonly isReusable: boolean;
};

/** The discount of an applied coupon and how often it applies: the coupon's own terms, or others agreed on for one customer. */
export type CouponTerms = Pick<Coupon, "value" | "frequency">;

const RATE_DECIMALS_MAX = 5;
const CHANGEABLE_WHEN_APPLIED = ["name", "description", "expiration", "expiration_at"];
const OVERRIDABLE = ["amount_cents", "amount_currency", "percentage_rate", "frequency", "frequency_duration"];

/** A coupon from the members of a request made at `now`; it must expire later. */
export function parseCoupon(input: Members, now: Temporal.Instant): Result<Coupon, Faults> {
  return readCoupon(input, isAfter(now));
}

/** The members of the API that make this coupon. */
export function couponMembers(coupon: Coupon): Members {
  const { value, frequency, limit, expiresAt } = coupon;
  return {
    name: coupon.name,
    code: coupon.code,
    description: coupon.description,
    coupon_type: value.type,
    amount_cents: value.type === "fixed_amount" ? Number(value.amountMinor) : null,
    amount_currency: value.type === "fixed_amount" ? value.currency : null,
    percentage_rate: value.type === "percentage" ? value.rate.toFixed() : null,
    frequency: frequency.type,
    frequency_duration: frequency.type === "recurring" ? frequency.invoices : null,
    expiration: expiresAt === null ? "no_expiration" : "time_limit",
    expiration_at: expiresAt?.toString() ?? null,
    reusable: coupon.isReusable,
    applies_to: {
      plan_codes: limit.type === "plans" ? limit.codes : [],
      billable_metric_codes: limit.type === "metrics" ? limit.codes : [],
    },
  };
}

/** The coupon after an update. Once it was applied, its discount stays. An expired coupon can still be renamed. */
export function couponAfterUpdate(
  current: Coupon,
  change: Members,
  hasBeenApplied: boolean,
  now: Temporal.Instant,
): Result<Coupon, Faults> {
  const members = withChange(couponMembers(current), change, hasBeenApplied ? CHANGEABLE_WHEN_APPLIED : undefined);
  return readCoupon(members, (at) => current.expiresAt?.equals(at) || isAfter(now)(at));
}

/** The terms for one customer: the coupon's own, except for members in the request. */
export function overrideCoupon(coupon: Coupon, overrides: Members): Result<CouponTerms, Faults> {
  const options = OVERRIDABLE.filter((name) => overrides[name] !== null);
  return readTerms(withChange(couponMembers(coupon), overrides, options));
}

function readCoupon(input: Members, mayExpireAt: (at: Temporal.Instant) => boolean): Result<Coupon, Faults> {
  return andThen(
    combine({
      name: required(input, "name", name),
      code: required(input, "code", name),
      description: optional(input, "description", longText, null),
      terms: readTerms(input),
      limit: optional(input, "applies_to", object(readLimit), { type: "none" } as const),
      expiresAt: readExpiration(input, mayExpireAt),
      isReusable: optional(input, "reusable", flag, true),
    }),
    ({ terms, ...coupon }) => ok({ ...coupon, ...terms }),
  );
}

const readTerms = (input: Members): Result<CouponTerms, Faults> =>
  combine({ value: readValue(input), frequency: readFrequency(input) });

function readValue(input: Members): Result<CouponValue, Faults> {
  const type = required(input, "coupon_type", oneOf(["fixed_amount", "percentage"]));
  if (!type.ok) return type;
  switch (type.value) {
    case "fixed_amount":
      return combine({
        type: ok(type.value),
        amountMinor: required(input, "amount_cents", cents(1n)),
        currency: required(input, "amount_currency", currencyCode),
      });
    case "percentage":
      return combine({ type: ok(type.value), rate: required(input, "percentage_rate", rate) });
  }
}

function readFrequency(input: Members): Result<CouponFrequency, Faults> {
  const type = required(input, "frequency", oneOf(["once", "recurring", "forever"]));
  if (!type.ok) return type;
  if (type.value !== "recurring") return ok({ type: type.value });
  const duration = required(input, "frequency_duration", whole(1n));
  return andThen(duration, (invoices) => ok({ type: "recurring", invoices: Number(invoices) }));
}

function readExpiration(
  input: Members,
  mayExpireAt: (at: Temporal.Instant) => boolean,
): Result<Temporal.Instant | null, Faults> {
  const type = required(input, "expiration", oneOf(["no_expiration", "time_limit"]));
  if (!type.ok) return type;
  if (type.value === "no_expiration") return ok(null);
  const at = required(input, "expiration_at", instant);
  return andThen(at, (at) => (mayExpireAt(at) ? ok(at) : fault("expiration_at", "invalid_date")));
}

function readLimit(input: Members): Result<CouponLimit, Faults> {
  const limits = combine({
    plans: optional(input, "plan_codes", codes, []),
    metrics: optional(input, "billable_metric_codes", codes, []),
  });
  return andThen(limits, ({ plans, metrics }): Result<CouponLimit, Faults> => {
    if (plans.length > 0 && metrics.length > 0) return fault("base", "only_one_limitation_type_per_coupon_allowed");
    if (plans.length > 0) return ok({ type: "plans", codes: plans });
    return ok(metrics.length > 0 ? { type: "metrics", codes: metrics } : { type: "none" });
  });
}

/** As text, or as a JSON number by its shortest decimal. */
const rate: Reader<Decimal> = (value, field) => {
  if (typeof value !== "string" && typeof value !== "number") return fault(field, "value_is_invalid");
  const read = parsePercentage(String(value), RATE_DECIMALS_MAX);
  if (!read.ok) return fault(field, read.error);
  return read.value.gt(ZERO) ? read : fault(field, "value_is_out_of_range");
};

const isAfter =
  (now: Temporal.Instant) =>
  (at: Temporal.Instant): boolean =>
    Temporal.Instant.compare(at, now) > 0;
