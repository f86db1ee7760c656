import { describe, expect, it, test } from "vitest";
import { CURRENCY_CODES, decimal, minorDigits } from "./index.ts";

test("decimals are exact where floats are not", () => {
  expect(decimal("0.1").plus(decimal("0.2")).toFixed()).toBe("0.3");
  expect(decimal("12345678901234567890.123456789").toFixed()).toBe("12345678901234567890.123456789");
});

test("a JavaScript number is never taken for money", () => {
  expect(() => decimal(0.1 as unknown as string)).toThrow();
});

test.each(["", " 1", "1 ", "١٢٣", "NaN", "Infinity", "0x10", "1,5"])("%j is no decimal", (text) => {
  expect(() => decimal(text)).toThrow();
});

describe("minor units", () => {
  it.each([
    ["EUR", 2],
    ["USD", 2],
    ["JPY", 0],
    ["KRW", 0],
    ["KWD", 3],
    ["TND", 3],
    ["CLF", 4],
    ["MGA", 2],
    ["UGX", 0],
  ])("%s has %i digits", (code, digits) => expect(minorDigits(code)).toBe(digits));

  it("a code that is no currency has none", () => {
    expect(minorDigits("ZZZ")).toBeUndefined();
    expect(minorDigits("eur")).toBeUndefined();
  });

  it("no code is listed twice", () => {
    expect(new Set(CURRENCY_CODES).size).toBe(CURRENCY_CODES.length);
    expect(CURRENCY_CODES.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });
});
