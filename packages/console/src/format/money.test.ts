import { currency, minorDigits } from "@tallystick/core/money";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactMoney, majorOf, majorText, minorOf, money, moneyParts } from "./money.ts";

const currencies = fc.constantFrom("EUR", "USD", "JPY", "KWD", "HUF", "CLP");
const amounts = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

describe("an amount is shown as it is billed", () => {
  test("every digit is kept, also beyond what a number can hold", () => {
    expect(money("9007199254740993123", "EUR").replace(/[^\d.]/g, "")).toBe("90071992547409931.23");
    fc.assert(
      fc.property(amounts, currencies, (amount, code) => {
        const digits = moneyParts(amount, code)
          .filter(({ type }) => type === "integer" || type === "fraction")
          .map(({ value }) => value)
          .join("");
        expect(BigInt(digits)).toBe(amount < 0n ? -amount : amount);
      }),
    );
  });

  test("what a person enters is read as what is shown", () => {
    fc.assert(
      fc.property(fc.nat(), currencies, (amount, code) => {
        expect(minorOf(majorText(amount, code), code)).toBe(amount);
      }),
    );
  });

  test.each(["", "-1", "1,5", "1.005", "1e3", "abc", "99999999999999999999"])("%j is no amount of EUR", (text) => {
    expect(minorOf(text, "EUR")).toBeUndefined();
  });

  test("a currency without minor units has none in a field either", () => {
    expect(minorDigits(currency("JPY"))).toBe(0);
    expect(minorOf("12", "JPY")).toBe(12);
    expect(minorOf("12.0", "JPY")).toBeUndefined();
  });

  test("exact amounts show all their decimals, and fractions twelve", () => {
    expect(exactMoney("50.4967872", "EUR")).toContain("50.4967872");
    expect(majorOf("100/3", "EUR")).toBe("0.333333333333");
  });
});
