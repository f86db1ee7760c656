import { describe, expect, it } from "vitest";
import { couponMembers } from "./coupon.ts";
import { type Coupon, couponAfterUpdate, type Members, overrideCoupon, parseCoupon } from "./index.ts";
import { faultsIn } from "./testing/faults-in.ts";

const now = Temporal.Instant.from("2026-11-01T12:00:00Z");

const FIXED = {
  name: "Welcome",
  code: "WELCOME10",
  coupon_type: "fixed_amount",
  amount_cents: 1000,
  amount_currency: "EUR",
  frequency: "once",
  expiration: "no_expiration",
};
const PERCENTAGE = { coupon_type: "percentage", percentage_rate: "12.5", amount_cents: null, amount_currency: null };

const parse = (members: object) => parseCoupon({ ...FIXED, ...members } as Members, now);
const accepted = (members: object) => {
  const parsed = parse(members);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};
const faultsOf = (members: object) => faultsIn(parse(members));
const shownTerms = (members: object) => {
  const { coupon_type, amount_cents, amount_currency, percentage_rate, frequency, frequency_duration } = couponMembers(
    accepted(members),
  );
  return { coupon_type, amount_cents, amount_currency, percentage_rate, frequency, frequency_duration };
};

const FIXED_TERMS = { coupon_type: "fixed_amount", amount_cents: 1000, amount_currency: "EUR", percentage_rate: null };
const RATE_TERMS = { coupon_type: "percentage", amount_cents: null, amount_currency: null, percentage_rate: "12.5" };

it.each([
  [{}, { ...FIXED_TERMS, frequency: "once", frequency_duration: null }],
  [
    { frequency: "forever", percentage_rate: "5" },
    { ...FIXED_TERMS, frequency: "forever", frequency_duration: null },
  ],
  [
    { frequency: "once", frequency_duration: 3 },
    { ...FIXED_TERMS, frequency: "once", frequency_duration: null },
  ],
  [
    { frequency: "recurring", frequency_duration: 3 },
    { ...FIXED_TERMS, frequency: "recurring", frequency_duration: 3 },
  ],
  [PERCENTAGE, { ...RATE_TERMS, frequency: "once", frequency_duration: null }],
  [
    { ...PERCENTAGE, amount_cents: 5, amount_currency: "ZZZ", percentage_rate: 12.5 },
    { ...RATE_TERMS, frequency: "once", frequency_duration: null },
  ],
])("%j has the terms %j", (members, terms) => {
  expect(shownTerms(members)).toEqual(terms);
});

it.each([
  [{ name: null }, { name: ["value_is_mandatory"] }],
  [{ code: "" }, { code: ["value_is_mandatory"] }],
  [{ coupon_type: "free" }, { coupon_type: ["value_is_invalid"] }],
  [{ coupon_type: null }, { coupon_type: ["value_is_mandatory"] }],
  [{ amount_cents: 0 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: -5 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: "5" }, { amount_cents: ["value_is_invalid"] }],
  [{ amount_cents: null }, { amount_cents: ["value_is_mandatory"] }],
  [{ amount_currency: null }, { amount_currency: ["value_is_mandatory"] }],
  [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
  [{ coupon_type: "percentage" }, { percentage_rate: ["value_is_mandatory"] }],
  [{ ...PERCENTAGE, percentage_rate: "x" }, { percentage_rate: ["value_is_invalid"] }],
  [{ ...PERCENTAGE, percentage_rate: ["5"] }, { percentage_rate: ["value_is_invalid"] }],
  [{ ...PERCENTAGE, percentage_rate: "0" }, { percentage_rate: ["value_is_out_of_range"] }],
  [{ ...PERCENTAGE, percentage_rate: "-1" }, { percentage_rate: ["value_is_out_of_range"] }],
  [{ ...PERCENTAGE, percentage_rate: "1.123456" }, { percentage_rate: ["value_is_out_of_range"] }],
  [{ frequency: "daily" }, { frequency: ["value_is_invalid"] }],
  [{ frequency: "recurring" }, { frequency_duration: ["value_is_mandatory"] }],
  [{ frequency: "recurring", frequency_duration: 0 }, { frequency_duration: ["value_is_out_of_range"] }],
  [{ frequency: "recurring", frequency_duration: 1.5 }, { frequency_duration: ["value_is_invalid"] }],
  [{ expiration: "never" }, { expiration: ["value_is_invalid"] }],
  [{ expiration: null }, { expiration: ["value_is_mandatory"] }],
  [{ expiration: "time_limit" }, { expiration_at: ["value_is_mandatory"] }],
  [{ reusable: "no" }, { reusable: ["value_is_invalid"] }],
  [{ applies_to: [] }, { applies_to: ["value_is_invalid"] }],
  [{ applies_to: { plan_codes: "scale" } }, { plan_codes: ["value_is_invalid"] }],
  [
    { applies_to: { plan_codes: ["scale"], billable_metric_codes: ["calls"] } },
    { base: ["only_one_limitation_type_per_coupon_allowed"] },
  ],
  [
    { coupon_type: "free", frequency: "daily", expiration: "time_limit", expiration_at: "2020-01-01" },
    { coupon_type: ["value_is_invalid"], frequency: ["value_is_invalid"], expiration_at: ["invalid_date"] },
  ],
])("%j is refused with %j", (members, faults) => {
  expect(faultsOf(members)).toEqual(faults);
});

describe("limits", () => {
  it.each([
    [undefined, { type: "none" }],
    [null, { type: "none" }],
    [{}, { type: "none" }],
    [{ plan_codes: [], billable_metric_codes: null }, { type: "none" }],
    [
      { plan_codes: ["a", "b", "a"], billable_metric_codes: [] },
      { type: "plans", codes: ["a", "b"] },
    ],
    [{ billable_metric_codes: ["calls"] }, { type: "metrics", codes: ["calls"] }],
  ])("%j is %j", (applies_to, limit) => {
    expect(accepted({ applies_to }).limit).toEqual(limit);
  });
});

describe("expiration", () => {
  it.each([
    ["2026-11-01T12:00:01Z", "2026-11-01T12:00:01Z"],
    ["2026-11-01T12:00:00.000001Z", "2026-11-01T12:00:00.000001Z"],
    ["2026-11-02", "2026-11-02T00:00:00Z"],
    ["2027-01-01T00:00", "2027-01-01T00:00:00Z"],
    ["2027-01-01T00:00:00+02:00", "2026-12-31T22:00:00Z"],
    ["2027-01-01T00:00:00+0200", "2026-12-31T22:00:00Z"],
    ["2027-01-01T00:00:00.123456789Z", "2027-01-01T00:00:00.123456Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"],
  ])("%s is the instant %s", (expiration_at, instant) => {
    expect(accepted({ expiration: "time_limit", expiration_at }).expiresAt?.toString()).toBe(instant);
  });

  it.each([
    "2020-01-01T00:00:00Z",
    "2026-11-01T12:00:00Z",
    "2026-11-01",
    "soon",
    "",
    "2027-02-30",
    "2027-1-1",
    "2027-01-01T25:00:00Z",
    "2027-01-01T00:00:00Z\n",
    "9999-12-31T23:59:59-01:00",
    "2027-01-01[Europe/Paris]",
    1_900_000_000,
    true,
  ])("%j is refused: it is not an instant, or not in the future", (expiration_at) => {
    expect(faultsOf({ expiration: "time_limit", expiration_at })).toEqual({ expiration_at: ["invalid_date"] });
  });

  it("without a limit in time has no instant, whatever else is sent", () => {
    expect(accepted({ expiration_at: "2020-01-01" }).expiresAt).toBeNull();
  });
});

it("can be used again by the same customer unless it says otherwise", () => {
  expect(accepted({}).isReusable).toBe(true);
  expect(accepted({ reusable: false }).isReusable).toBe(false);
});

describe("an update", () => {
  const expired: Coupon = { ...accepted({}), expiresAt: Temporal.Instant.from("2026-01-01T00:00:00Z") };
  const after = (coupon: Coupon, change: Members, hasBeenApplied: boolean) => {
    const result = couponAfterUpdate(coupon, change, hasBeenApplied, now);
    return result.ok ? result.value : result.error;
  };

  it("before it was applied changes everything that is present", () => {
    const change = { coupon_type: "percentage", percentage_rate: "5", applies_to: { plan_codes: ["a"] }, code: "NEW" };
    const { value, ...rest } = after(accepted({}), change, false) as Coupon;
    expect(value.type === "percentage" && value.rate.toFixed()).toBe("5");
    const { value: _, ...before } = accepted({});
    expect(rest).toEqual({ ...before, code: "NEW", limit: { type: "plans", codes: ["a"] } });
  });

  it("after that changes name, description and expiration only, and ignores the rest", () => {
    const change = {
      name: "New",
      description: "d",
      expiration: "time_limit",
      expiration_at: "2027-01-01",
      code: "NEW",
      coupon_type: "nonsense",
      amount_cents: 1,
      frequency: "forever",
      reusable: false,
      applies_to: { plan_codes: ["a"] },
    };
    expect(after(accepted({}), change, true)).toEqual({
      ...accepted({}),
      name: "New",
      description: "d",
      expiresAt: Temporal.Instant.from("2027-01-01T00:00:00Z"),
    });
  });

  it("of an expired coupon may leave its expiration as it was, but not move it to another past instant", () => {
    expect(after(expired, { name: "New" }, true)).toEqual({ ...expired, name: "New" });
    expect(after(expired, { ...couponMembers(expired), name: "New" }, true)).toEqual({ ...expired, name: "New" });
    expect(after(expired, { expiration_at: "2026-02-01" }, true)).toEqual({ expiration_at: ["invalid_date"] });
    expect(after(expired, { expiration: "no_expiration" }, true)).toEqual({ ...expired, expiresAt: null });
  });
});

describe("terms for one customer", () => {
  const terms = (coupon: object, overrides: Members) => {
    const result = overrideCoupon(accepted(coupon), overrides);
    if (!result.ok) return result.error;
    const { value, frequency } = result.value;
    return [value.type === "percentage" ? value.rate.toFixed() : `${value.amountMinor} ${value.currency}`, frequency];
  };

  it.each([
    [{}, {}, ["1000 EUR", { type: "once" }]],
    [{}, { amount_cents: 700 }, ["700 EUR", { type: "once" }]],
    [
      {},
      { amount_cents: 700, amount_currency: "EUR", frequency: "recurring", frequency_duration: 2 },
      ["700 EUR", { type: "recurring", invoices: 2 }],
    ],
    [{}, { amount_currency: "USD", amount_cents: null }, ["1000 USD", { type: "once" }]],
    [{}, { percentage_rate: "50", code: "X", name: null }, ["1000 EUR", { type: "once" }]],
    [PERCENTAGE, { percentage_rate: "20", amount_cents: 5 }, ["20", { type: "once" }]],
    [{ frequency: "recurring", frequency_duration: 3 }, { frequency: "forever" }, ["1000 EUR", { type: "forever" }]],
    [
      { frequency: "recurring", frequency_duration: 3 },
      { frequency_duration: 6 },
      ["1000 EUR", { type: "recurring", invoices: 6 }],
    ],
    [{}, { amount_cents: 0 }, { amount_cents: ["value_is_out_of_range"] }],
    [{}, { frequency: "recurring" }, { frequency_duration: ["value_is_mandatory"] }],
    [{}, { frequency: "daily" }, { frequency: ["value_is_invalid"] }],
    [PERCENTAGE, { percentage_rate: "x" }, { percentage_rate: ["value_is_invalid"] }],
  ])("%j with %j: %j", (coupon, overrides, outcome) => {
    expect(terms(coupon, overrides as Members)).toEqual(outcome);
  });
});
