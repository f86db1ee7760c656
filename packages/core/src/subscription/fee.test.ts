import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { minor } from "../money/index.ts";
import { startOfDay } from "../time/index.ts";
import { type SubscriptionFeeDerivation, subscriptionFee, subscriptionFeeFrom } from "./index.ts";
import type { FeeWindow } from "./span.ts";
import { day } from "./testing/life.ts";

const window = (first: string, last: string, periodDays: number, freeDays = 0): FeeWindow => ({
  from: startOfDay(day(first), "UTC"),
  to: startOfDay(day(last).add({ days: 1 }), "UTC"),
  firstDay: day(first),
  lastDay: day(last),
  periodDays,
  freeDays,
});

it.each([
  { amount: 5000n, first: "2023-01-08", last: "2023-01-31", of: 31, free: 0, fee: 3871n },
  { amount: 5000n, first: "2023-02-08", last: "2023-02-28", of: 28, free: 0, fee: 3750n },
  { amount: 5000000n, first: "2023-03-05", last: "2023-03-31", of: 31, free: 10, fee: 2741935n },
  { amount: 91000n, first: "2024-05-20", last: "2024-06-20", of: 91, free: 0, fee: 32000n },
  { amount: 1000n, first: "2022-09-05", last: "2022-09-06", of: 30, free: 0, fee: 67n },
  { amount: 12000n, first: "2023-09-28", last: "2024-06-28", of: 366, free: 0, fee: 9016n },
  { amount: 10000n, first: "2024-01-01", last: "2024-01-14", of: 31, free: 0, fee: 4516n },
  { amount: 20000n, first: "2024-01-15", last: "2024-01-31", of: 31, free: 0, fee: 10968n },
  { amount: 118800n, first: "2023-11-19", last: "2024-07-18", of: 366, free: 0, fee: 78875n },
  { amount: 10000n, first: "2024-02-28", last: "2024-02-29", of: 29, free: 0, fee: 690n },
  { amount: 61n, first: "2023-02-15", last: "2023-02-28", of: 28, free: 0, fee: 31n },
  { amount: 5000n, first: "2023-01-01", last: "2023-01-31", of: 31, free: 0, fee: 5000n },
  { amount: 5000n, first: "2023-01-01", last: "2023-01-31", of: 31, free: 31, fee: 0n },
])("$first to $last of $of days, $free free: $amount is $fee", ({ amount, first, last, of, free, fee }) =>
  expect(subscriptionFee(minor(amount), window(first, last, of, free)).amountMinor).toBe(fee),
);

describe("the derivation", () => {
  const derivationOf = (amount: bigint, ...days: Parameters<typeof window>) =>
    subscriptionFee(minor(amount), window(...days)).derivation;

  it("keeps the days and the amount before the one rounding", () =>
    expect(derivationOf(61n, "2023-02-15", "2023-02-28", 28)).toMatchObject({
      planAmountMinor: "61",
      firstDay: "2023-02-15",
      lastDay: "2023-02-28",
      days: 14,
      periodDays: 28,
      exactMinor: "30.5",
      amountMinor: "31",
    }));

  it("keeps the free days, and what never ends as a fraction", () =>
    expect(derivationOf(5000n, "2023-03-05", "2023-03-31", 31, 10)).toMatchObject({
      days: 27,
      freeDays: 10,
      exactMinor: "85000/31",
      amountMinor: "2742",
    }));

  it("rounds nothing that is whole", () =>
    expect(derivationOf(3100n, "2024-01-01", "2024-01-10", 31)).toMatchObject({
      exactMinor: "1000",
      amountMinor: "1000",
    }));
});

const amounts = fc.bigInt(0n, 10n ** 12n).map(minor);
/** A period of some days, split into parts of one day or more. */
const cutPeriods = fc
  .array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 12 })
  .map((parts) => ({ parts, whole: parts.reduce((sum, part) => sum + part, 0) }));

const part = (days: number, periodDays: number) =>
  window("2024-01-01", String(day("2024-01-01").add({ days: days - 1 })), periodDays);

test("parts of a period cost the whole, but for half a cent of rounding each", () => {
  fc.assert(
    fc.property(amounts, cutPeriods, (amount, { parts, whole }) => {
      const fees = parts.map((days) => subscriptionFee(amount, part(days, whole)).amountMinor);
      const difference = fees.reduce((sum, fee) => sum + fee, 0n) - amount;
      expect((difference < 0n ? -difference : difference) * 2n).toBeLessThanOrEqual(BigInt(parts.length));
    }),
  );
});

test("more days never cost less, and no part costs more than the whole", () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 365 }), fc.integer({ min: 1, max: 365 }), (amount, one, other) => {
      const [few, many] = [Math.min(one, other), Math.max(one, other)];
      const fewer = subscriptionFee(amount, part(few, 366)).amountMinor;
      const more = subscriptionFee(amount, part(many, 366)).amountMinor;
      expect(fewer <= more && more <= amount).toBe(true);
    }),
  );
});

test("the amount can be computed again from its derivation, after JSON", () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 366 }), fc.nat(366), (amount, days, free) => {
      const fee = subscriptionFee(amount, { ...part(days, 366), freeDays: Math.min(days, free) });
      const kept: SubscriptionFeeDerivation = JSON.parse(JSON.stringify(fee.derivation));
      expect(kept).toEqual(fee.derivation);
      expect(subscriptionFeeFrom(kept)).toBe(fee.amountMinor);
      expect(fee.derivation.amountMinor).toBe(String(fee.amountMinor));
    }),
  );
});
