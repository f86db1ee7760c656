import { expect, test } from "vitest";
import { minor } from "../money/index.ts";
import { AMOUNT_MAX, checkLimits, explainLimit } from "./index.ts";
import { invoiceFigures } from "./invoice-figures.ts";

const fee = (amount: bigint, taxes = 0n) => ({ amountMinor: minor(amount), taxesMinor: minor(taxes) });
const figures = (fees: bigint, taxes = 0n) =>
  invoiceFigures({
    feesMinor: minor(fees),
    couponsMinor: minor(0n),
    taxesMinor: minor(taxes),
    creditNotesMinor: minor(0n),
    prepaidMinor: minor(0n),
  });

test("the largest amount fits, one minor unit more does not", () => {
  expect(AMOUNT_MAX).toBe(9_007_199_254_740_991n);
  expect(checkLimits({ fees: [fee(AMOUNT_MAX)], figures: figures(AMOUNT_MAX) }).ok).toBe(true);
  expect(checkLimits({ fees: [fee(AMOUNT_MAX + 1n)] })).toEqual({
    ok: false,
    error: { code: "amount_too_large", what: "the amount of a fee", amountMinor: 9_007_199_254_740_992n },
  });
});

test("each fee may fit and their sum not, and so may the sum and not its taxes", () => {
  const half = AMOUNT_MAX / 2n + 1n;
  const summed = checkLimits({ fees: [fee(half), fee(half)], figures: figures(2n * half) });
  expect(summed.ok ? "" : explainLimit(summed.error)).toBe(
    "An amount is at most 9007199254740991 minor units; the sum of the fees would be 9007199254740992.",
  );
  const taxed = checkLimits({ fees: [fee(half)], figures: figures(half, half) });
  expect(taxed.ok ? "" : explainLimit(taxed.error)).toContain("the sub total with taxes would be 9007199254740992");
  expect(checkLimits({ fees: [fee(half, half)] }).ok).toBe(false);
});

test("an invoice has up to 10,000 fees; standalone fees are not counted", () => {
  const many = Array.from({ length: 10_001 }, () => fee(1n));
  expect(checkLimits({ fees: many.slice(1), figures: figures(10_000n) }).ok).toBe(true);
  expect(checkLimits({ fees: many }).ok).toBe(true);
  const refused = checkLimits({ fees: many, figures: figures(10_001n) });
  expect(refused.ok ? "" : explainLimit(refused.error)).toBe(
    "An invoice has at most 10000 fees; this one would have 10001.",
  );
});
