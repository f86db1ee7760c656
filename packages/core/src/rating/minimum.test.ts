import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { fraction, minor } from "../money/index.ts";
import { commitmentTrueUp, trueUpFrom } from "./index.ts";
import { chargeMinimumTrueUp } from "./minimum.ts";

const input = (minimum: bigint, used: bigint, days = 30, periodDays = 30) => ({
  minimumMinor: minor(minimum),
  usedMinor: minor(used),
  days,
  periodDays,
});

describe("the minimum of a charge", () => {
  it.each([
    ["25 of 28 days of 1000, 800 used", input(1000n, 800n, 25, 28), 93n],
    ["a whole month of 5000, 3000 used", input(5000n, 3000n), 2000n],
    ["nothing used", input(5000n, 0n), 5000n],
    ["16 of 31 days of 3100, nothing used", input(3100n, 0n, 16, 31), 1600n],
  ])("%s: %s is still due", (_, given, due) => expect(chargeMinimumTrueUp(given)?.amountMinor).toBe(due));

  it.each([
    ["reached exactly", input(5000n, 5000n)],
    ["exceeded", input(5000n, 5001n)],
    ["missed by less than half a cent", input(1000n, 893n, 25, 28)],
    ["none", input(0n, 0n)],
    ["of no day", input(1000n, 0n, 0, 28)],
  ])("%s: nothing more is due", (_, given) => expect(chargeMinimumTrueUp(given)).toBeNull());

  it("is named in its derivation", () => {
    expect(chargeMinimumTrueUp(input(1000n, 0n))?.derivation.type).toBe("charge_minimum");
    expect(commitmentTrueUp(input(1000n, 0n))?.derivation.type).toBe("commitment");
  });

  it("keeps the days, what they require exactly, and what was billed", () =>
    expect(chargeMinimumTrueUp(input(1000n, 800n, 25, 28))?.derivation).toEqual({
      type: "charge_minimum",
      minimumMinor: "1000",
      days: 25,
      periodDays: 28,
      requiredMinor: "6250/7",
      usedMinor: "800",
    }));
});

describe("the commitment of a plan", () => {
  it.each([
    ["2 of 29 days of 1,000,000, a fee of 690", input(1_000_000n, 690n, 2, 29), 68_276n],
    ["the next whole month, a fee of 10,000", input(1_000_000n, 10_000n), 990_000n],
    ["30,000 with a fee of 10,000 and usage of 500", input(30_000n, 10_500n), 19_500n],
  ])("%s: %s is still due", (_, given, due) => expect(commitmentTrueUp(given)?.amountMinor).toBe(due));

  it("is rounded before usage is taken off", () => {
    expect(commitmentTrueUp(input(1n, 0n, 1, 2))?.amountMinor).toBe(1n);
    expect(commitmentTrueUp(input(1n, 1n, 1, 2))).toBeNull();
    expect(commitmentTrueUp(input(5000n, 5000n))).toBeNull();
  });

  it("keeps the days, what they require in whole cents, and what was billed", () =>
    expect(commitmentTrueUp(input(1_000_000n, 690n, 2, 29))?.derivation).toEqual({
      type: "commitment",
      minimumMinor: "1000000",
      days: 2,
      periodDays: 29,
      requiredMinor: "68966",
      usedMinor: "690",
    }));
});

test("usage and true-up together reach the required amount, to half a cent, and can be recomputed", () => {
  const cents = fc.bigInt(0n, 10n ** 9n);
  fc.assert(
    fc.property(cents, cents, fc.integer({ min: 1, max: 366 }), fc.nat(366), (minimum, used, periodDays, some) => {
      const days = Math.min(some, periodDays);
      for (const trueUp of [chargeMinimumTrueUp, commitmentTrueUp]) {
        const found = trueUp(input(minimum, used, days, periodDays));
        const short = fraction(minimum * BigInt(days))
          .over(BigInt(periodDays))
          .minus(used + (found?.amountMinor ?? 0n));
        expect(short.times(2n).isAbove(1n)).toBe(false);
        if (found) {
          expect(short.times(-2n).isAbove(1n)).toBe(false);
          expect(trueUpFrom(JSON.parse(JSON.stringify(found.derivation)))).toBe(found.amountMinor);
        }
      }
    }),
  );
});
