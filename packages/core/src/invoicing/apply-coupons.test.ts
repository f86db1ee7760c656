import { describe, expect, it, test } from "vitest";
import type { CouponFrequency, CouponLimit } from "../catalog/index.ts";
import { currency, decimal, exactText, minor, roundTo } from "../money/index.ts";
import { applyCoupons, freshCoupon } from "./index.ts";

const EUR = currency("EUR");
const cents = (amount: number) => minor(BigInt(amount));
const fixed = (amount: number) => ({ type: "fixed_amount", amountMinor: cents(amount), currency: EUR }) as const;
const percentage = (rate: string) => ({ type: "percentage", rate: decimal(rate) }) as const;
const once: CouponFrequency = { type: "once" };
const none: CouponLimit = { type: "none" };
const plans = (...codes: string[]): CouponLimit => ({ type: "plans", codes });
const metrics = (...codes: string[]): CouponLimit => ({ type: "metrics", codes });

let applied = 0;
function coupon(
  code: string,
  value: ReturnType<typeof fixed> | ReturnType<typeof percentage>,
  {
    frequency = once,
    limit = none,
    day = ++applied,
  }: { frequency?: CouponFrequency; limit?: CouponLimit; day?: number } = {},
) {
  const appliedAt = Temporal.Instant.from("2024-01-01T00:00:00Z").add({ hours: 24 * day });
  return { id: code, code, appliedAt, state: freshCoupon({ value, frequency }), limit };
}

const charge = (id: string, amount: number, planCode = "p", metricCode = id) => ({
  id,
  label: id,
  amountMinor: cents(amount),
  item: { kind: "charge", planCode, metricCode, chargeTaxes: [], planTaxes: [] } as const,
});
const subscription = (id: string, amount: number, planCode = "p") => ({
  id,
  label: id,
  amountMinor: cents(amount),
  item: { kind: "subscription", planCode, planTaxes: [] } as const,
});
const used = (uses: ReturnType<typeof applyCoupons>) =>
  uses.map(({ coupon, creditMinor }) => [coupon.code, creditMinor]);
const sharesOf = (use: ReturnType<typeof applyCoupons>[number] | undefined) =>
  Object.fromEntries((use?.shares ?? []).map(({ feeId, share }) => [feeId, exactText(share)]));

describe("how much a coupon takes off", () => {
  it.each([
    ["a fixed amount", fixed(1000), 6000, 1000n],
    ["a fixed amount as large as the invoice", fixed(6000), 6000, 6000n],
    ["never more than the invoice", fixed(9000), 6000, 6000n],
    ["a percentage", percentage("50"), 6000, 3000n],
    ["a percentage, rounded half away from zero: 375.5", percentage("12.5"), 3004, 376n],
    ["all of it", percentage("100"), 333, 333n],
    ["a percentage above 100 takes all of it", percentage("150"), 333, 333n],
  ])("%s", (_, value, fee, expected) => {
    expect(used(applyCoupons([subscription("s", fee)], [coupon("c", value)], EUR))).toEqual([["c", expected]]);
  });

  test("of a base with a fraction the credit is rounded once and never exceeds the base", () => {
    const fees = [charge("a", 100), charge("b", 100), charge("c", 100, "q")];
    const first = coupon("first", fixed(100), { limit: metrics("a", "b", "c") });
    // 66.67 remain of the third fee: neither 100 % of it nor a larger amount may be 67.
    for (const value of [percentage("100"), fixed(500)]) {
      const uses = applyCoupons(fees, [first, coupon("second", value, { limit: plans("q") })], EUR);
      expect(used(uses)).toEqual([
        ["first", 100n],
        ["second", 66n],
      ]);
      expect(exactText(uses[1]?.base ?? 0n)).toBe("200/3");
      expect(sharesOf(uses[1])).toEqual({ c: "66" });
    }
    // 133.33 remain of the other two: here rounding goes down by itself.
    const others = applyCoupons(fees, [first, coupon("second", percentage("100"), { limit: plans("p") })], EUR);
    expect(others[1]?.creditMinor).toBe(133n);
  });

  test("a limited coupon counts only what earlier coupons left of its fees", () => {
    const uses = applyCoupons(
      [subscription("s", 1000), charge("m", 1000)],
      [coupon("plan", percentage("50"), { limit: plans("p") }), coupon("metric", fixed(600), { limit: metrics("m") })],
      EUR,
    );
    expect(used(uses)).toEqual([
      ["metric", 600n],
      ["plan", 700n],
    ]);
    expect(sharesOf(uses[1])).toEqual({ s: "500", m: "200" });
  });
});

describe("which fees a coupon is for", () => {
  const commitment = {
    id: "minimum",
    label: "minimum",
    amountMinor: cents(100),
    item: { kind: "commitment", planCode: "p", commitmentTaxes: [], planTaxes: [] } as const,
  };
  const addOn = {
    id: "addon",
    label: "addon",
    amountMinor: cents(100),
    item: { kind: "add_on", feeTaxes: [], addOnTaxes: [] } as const,
  };
  const fees = [
    subscription("s", 100),
    subscription("other", 100, "q"),
    charge("m", 100),
    charge("n", 100, "q"),
    commitment,
    addOn,
  ];
  it.each([
    ["everything", none, ["s", "other", "m", "n", "minimum", "addon"]],
    ["a plan: its fee, its charges, its commitment", plans("p"), ["s", "m", "minimum"]],
    ["several plans", plans("x", "p", "q"), ["s", "other", "m", "n", "minimum"]],
    ["a metric", metrics("n"), ["n"]],
    ["several metrics", metrics("m", "n"), ["m", "n"]],
  ])("%s", (_, limit, expected) => {
    const [use] = applyCoupons(fees, [coupon("c", fixed(10), { limit })], EUR);
    expect(Object.keys(sharesOf(use))).toEqual(expected);
  });
});

describe("the order of use", () => {
  test("metrics, then plans, then everything, each by time of application, whatever the order given", () => {
    const fees = [charge("m", 100_000)];
    const coupons = [
      coupon("all-2", fixed(1), { day: 2 }),
      coupon("all-1", fixed(1), { day: 1 }),
      coupon("plan-4", fixed(1), { day: 4, limit: plans("p") }),
      coupon("plan-3", fixed(1), { day: 3, limit: plans("p") }),
      coupon("metric-6", fixed(1), { day: 6, limit: metrics("m") }),
      coupon("metric-5", fixed(1), { day: 5, limit: metrics("m") }),
    ];
    const order = ["metric-5", "metric-6", "plan-3", "plan-4", "all-1", "all-2"];
    for (const given of [coupons, coupons.toReversed()]) {
      expect(applyCoupons(fees, given, EUR).map((use) => use.coupon.code)).toEqual(order);
    }
  });

  test("of one instant the smaller id comes first", () => {
    const [a, b] = [coupon("a", fixed(60), { day: 1 }), coupon("b", fixed(60), { day: 1 })];
    const expected = [
      ["a", 60n],
      ["b", 40n],
    ];
    expect(used(applyCoupons([subscription("s", 100)], [a, b], EUR))).toEqual(expected);
    expect(used(applyCoupons([subscription("s", 100)], [b, a], EUR))).toEqual(expected);
  });

  test("a plan's coupon comes before one for everything, though it was applied later", () => {
    const uses = applyCoupons(
      [subscription("s", 6000)],
      [coupon("cu", percentage("50"), { day: 1 }), coupon("cp", fixed(1000), { day: 2, limit: plans("p") })],
      EUR,
    );
    expect(used(uses)).toEqual([
      ["cp", 1000n],
      ["cu", 2500n],
    ]);
  });
});

describe("a coupon that can take nothing off is kept for later", () => {
  const fees = [subscription("s", 100), charge("zero", 0)];
  it.each([
    ["no fee of its metric", coupon("c", fixed(5), { limit: metrics("m") })],
    ["no fee of its plan", coupon("c", fixed(5), { limit: plans("x") })],
    ["a fee of 0", coupon("c", fixed(5), { limit: metrics("zero") })],
    ["less than half a cent", coupon("c", percentage("0.4"))],
  ])("%s", (_, unused) => expect(applyCoupons(fees, [unused], EUR)).toEqual([]));

  test("another currency, of a fixed amount only", () => {
    const usd = currency("USD");
    expect(applyCoupons(fees, [coupon("c", fixed(5))], usd)).toEqual([]);
    expect(used(applyCoupons(fees, [coupon("c", percentage("50"))], usd))).toEqual([["c", 50n]]);
  });

  test("earlier coupons took everything", () => {
    const uses = applyCoupons(fees, [coupon("first", fixed(100)), coupon("second", percentage("10"))], EUR);
    expect(used(uses)).toEqual([["first", 100n]]);
  });

  test("no fees at all", () => expect(applyCoupons([], [coupon("c", fixed(5))], EUR)).toEqual([]));
});

describe("what is left of a coupon", () => {
  const thrice: CouponFrequency = { type: "recurring", invoices: 3 };
  const twice: CouponFrequency = { type: "recurring", invoices: 2 };
  const last: CouponFrequency = { type: "recurring", invoices: 1 };
  const forever: CouponFrequency = { type: "forever" };
  it.each([
    ["an amount not spent yet", fixed(150), once, { left: { type: "amount", amountMinor: 50n }, isTerminated: false }],
    ["an amount spent", fixed(100), once, { left: { type: "amount", amountMinor: 0n }, isTerminated: true }],
    ["a percentage, once", percentage("10"), once, { left: { type: "uses", count: 0 }, isTerminated: true }],
    ["an amount, two invoices", fixed(10), twice, { left: { type: "uses", count: 1 }, isTerminated: false }],
    [
      "a percentage, the last invoice",
      percentage("10"),
      last,
      { left: { type: "uses", count: 0 }, isTerminated: true },
    ],
    ["an amount, forever", fixed(9000), forever, { left: { type: "forever" }, isTerminated: false }],
  ])("%s", (_, value, frequency, expected) => {
    const [use] = applyCoupons([subscription("s", 100)], [coupon("c", value, { frequency })], EUR);
    expect(use).toMatchObject(expected);
  });

  /** Credits over several invoices, each with what the one before left. */
  function lifeOf(first: ReturnType<typeof coupon>, invoices: readonly number[]) {
    let state = first.state;
    let isTerminated = false;
    return invoices.map((amount) => {
      const [use] = isTerminated ? [] : applyCoupons([subscription("s", amount)], [{ ...first, state }], EUR);
      if (use) {
        state = { value: state.value, left: use.left } as typeof state;
        isTerminated = use.isTerminated;
      }
      return `${amount}: ${use?.creditMinor ?? 0n}`;
    });
  }

  it.each([
    ["10000 once: 6000, then 4000, then nothing", fixed(10_000), once, ["6000: 6000", "6000: 4000", "6000: 0"]],
    ["1000 thrice, also where 700 is all", fixed(1000), thrice, ["5000: 1000", "700: 700", "5000: 1000", "5000: 0"]],
    ["50 % on two invoices", percentage("50"), twice, ["6000: 3000", "6000: 3000", "6000: 0"]],
    ["9000 forever on invoices of 6000", fixed(9000), forever, ["6000: 6000", "6000: 6000"]],
    ["an invoice without fees counts for nothing", fixed(500), last, ["0: 0", "1000: 500"]],
  ])("%s", (_, value, frequency, life) => {
    expect(lifeOf(coupon("c", value, { frequency }), life.map(Number.parseFloat))).toEqual(life);
  });
});

test("shares are exact: three coupons over the fees of two subscriptions", () => {
  const fees = [1000, 2000, 3000, 4000].flatMap((amount, index) => [
    charge(`one-${index}`, amount, "one"),
    charge(`two-${index}`, amount, "two"),
  ]);
  const uses = applyCoupons(
    fees,
    [
      coupon("C1", fixed(2000), { limit: metrics("one-0", "one-1") }),
      coupon("C2", fixed(1000), { limit: plans("two") }),
      coupon("C3", fixed(500)),
    ],
    EUR,
  );
  expect(sharesOf(uses[0])).toEqual({ "one-0": "2000/3", "one-1": "4000/3" });
  expect(sharesOf(uses[1])).toEqual({ "two-0": "100", "two-1": "200", "two-2": "300", "two-3": "400" });
  expect(exactText(uses[2]?.base ?? 0n)).toBe("17000");
  const whole = new Map<string, string>();
  for (const { id } of fees) {
    const shares = uses.flatMap((use) => use.shares.filter(({ feeId }) => feeId === id));
    const share = shares.reduce(
      (sum, one) => one.share.plus(sum),
      shares[0]?.share.minus(shares[0].share) ?? minor(0n),
    );
    whole.set(id, roundTo(share, 2).toFixed(2));
  }
  expect(Object.fromEntries(whole)).toEqual({
    "one-0": "676.47",
    "one-1": "1352.94",
    "one-2": "88.24",
    "one-3": "117.65",
    "two-0": "126.47",
    "two-1": "252.94",
    "two-2": "379.41",
    "two-3": "505.88",
  });
});
