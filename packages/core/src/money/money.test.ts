import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { CURRENCY_CODES } from "./currency.ts";
import {
  ceilTo,
  currency,
  decimal,
  exactText,
  Fraction,
  fraction,
  greatest,
  inMajorUnits,
  inMinorUnits,
  isCurrency,
  least,
  leastMinor,
  minor,
  minorDigits,
  readableText,
  readExact,
  round,
  roundMinor,
  roundTo,
  roundToMinor,
  sum,
  sumDecimals,
  sumMinor,
  truncateTo,
} from "./index.ts";

const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const divisor = fc.bigInt({ min: 1n, max: 10n ** 12n });
const fractions = fc.tuple(whole, divisor).map(([numerator, denominator]) => new Fraction(numerator, denominator));

describe("decimals", () => {
  test("are exact where floats are not", () => {
    expect(decimal("0.1").plus(decimal("0.2")).toFixed()).toBe("0.3");
    expect(decimal("12345678901234567890.123456789").toFixed()).toBe("12345678901234567890.123456789");
    expect(sumDecimals([decimal("0.1"), decimal("0.2"), decimal("-0.4")]).toFixed()).toBe("-0.1");
  });

  test("a JavaScript number is never taken for money", () => {
    expect(() => decimal(0.1 as unknown as string)).toThrow();
  });

  test.each(["", " 1", "1 ", "١٢٣", "NaN", "Infinity", "0x10", "1,5"])("%j is not a decimal", (text) => {
    expect(() => decimal(text)).toThrow();
  });
});

describe("fractions", () => {
  it.each([
    ["0", "0"],
    ["1.5", "3/2"],
    ["-0.125", "-1/8"],
    ["1e3", "1000/1"],
    ["1200", "1200/1"],
    ["0.00000000000000000001", "1/100000000000000000000"],
  ])("the decimal %s is exactly %s", (text, ratio) => {
    const { numerator, denominator } = fraction(decimal(text));
    expect(`${numerator}/${denominator}`).toBe(ratio === "0" ? "0/1" : ratio);
  });

  it("are kept in lowest terms with the sign above", () => {
    expect(new Fraction(6n, -4n)).toMatchObject({ numerator: -3n, denominator: 2n });
    expect(new Fraction(0n, 7n)).toMatchObject({ numerator: 0n, denominator: 1n });
  });

  it("cannot be divided by zero", () => {
    expect(() => new Fraction(1n, 0n)).toThrow("divided by zero");
    expect(() => fraction(1n).over(0n)).toThrow("divided by zero");
  });

  it("compare exactly", () => {
    const third = new Fraction(1n, 3n);
    expect(third.isAbove(decimal("0.33333333333333333333"))).toBe(true);
    expect(third.isBelow(decimal("0.33333333333333333334"))).toBe(true);
    expect(third.isBelow(third) || third.isAbove(third)).toBe(false);
    expect(third.times(3n).equals(1n)).toBe(true);
    expect(least(third, fraction(1n))).toBe(third);
    expect(least(fraction(1n), third)).toBe(third);
    expect(greatest(third, fraction(0n))).toBe(third);
    expect(greatest(fraction(0n), third)).toBe(third);
  });

  test("follow the laws of arithmetic", () => {
    fc.assert(
      fc.property(fractions, fractions, fractions, (a, b, c) => {
        expect(a.plus(b).minus(b).equals(a)).toBe(true);
        expect(a.times(b.plus(c)).equals(a.times(b).plus(a.times(c)))).toBe(true);
        expect(b.isZero() || a.over(b).times(b).equals(a)).toBe(true);
        expect(sum([a, b, c]).equals(a.plus(b.plus(c)))).toBe(true);
      }),
    );
  });

  it.each([
    ["0.375", "0.375"],
    ["-12", "-12"],
    ["1000000000000000000000", "1000000000000000000000"],
    ["0.0000000001", "0.0000000001"],
  ])("the text of %s is plain", (text, shown) => expect(exactText(decimal(text))).toBe(shown));

  it("without an end to its decimals it is written as a quotient", () => {
    expect(exactText(new Fraction(-55n, 3n))).toBe("-55/3");
    expect(exactText(new Fraction(1n, 40n))).toBe("0.025");
  });

  it.each([
    [new Fraction(120_000n, 31n), "3870.9677419354…"],
    [new Fraction(-55n, 3n), "-18.3333333333…"],
    [new Fraction(1n, 3n * 10n ** 12n), "0.0000000000…"],
    [new Fraction(61n, 2n), "30.5"],
  ])("%s reads %s", (value, text) => expect(readableText(value)).toBe(text));

  test("their text reads back to the same value", () => {
    fc.assert(fc.property(fractions, (value) => readExact(exactText(value)).equals(value)));
  });
});

describe("rounding", () => {
  it.each([
    ["2.5", 3n],
    ["2.4999999999999999999999999", 2n],
    ["-2.5", -3n],
    ["-2.4", -2n],
    ["0.5", 1n],
    ["-0.5", -1n],
    ["0", 0n],
    ["30.5", 31n],
  ])("%s becomes %s: half goes away from zero", (text, rounded) => expect(round(decimal(text))).toBe(rounded));

  it("is exact even if twenty decimals would not be", () => {
    const justBelowHalf = new Fraction(10n ** 40n - 1n, 2n * 10n ** 40n);
    expect(round(justBelowHalf)).toBe(0n);
  });

  it.each([
    ["1.005", 2, "1.01"],
    ["-1.005", 2, "-1.01"],
    ["1.0049", 2, "1"],
    ["123", 0, "123"],
  ])("%s at %i decimals is %s", (text, places, rounded) =>
    expect(roundTo(decimal(text), places).toFixed()).toBe(rounded),
  );

  it.each([
    ["0.000001", "0.00001"],
    ["-0.000019", "-0.00001"],
    ["1.2", "1.2"],
  ])("%s rounded up at 5 decimals is %s", (text, up) => expect(ceilTo(decimal(text), 5).toFixed()).toBe(up));

  it.each([
    ["535.714289", "535.71428"],
    ["-0.000019", "-0.00001"],
  ])("%s truncated at 5 decimals is %s", (text, cut) => expect(truncateTo(decimal(text), 5).toFixed()).toBe(cut));

  test("never moves a value by more than half, and ties move it outwards", () => {
    fc.assert(
      fc.property(fractions, (value) => {
        const distance = fraction(round(value)).minus(value);
        const doubled = distance.times(distance.isBelow(0n) ? -2n : 2n);
        expect(doubled.isAbove(1n)).toBe(false);
        if (doubled.equals(1n)) expect(distance.isBelow(0n)).toBe(value.isBelow(0n));
      }),
    );
  });
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
  ])("%s has %i digits", (code, digits) => expect(minorDigits(currency(code))).toBe(digits));

  it("an unknown currency code is refused", () => {
    expect(isCurrency("ZZZ")).toBe(false);
    expect(isCurrency("eur")).toBe(false);
    expect(() => currency("ZZZ")).toThrow("ZZZ is no currency.");
  });

  it("no code is listed twice", () => {
    expect(new Set(CURRENCY_CODES).size).toBe(CURRENCY_CODES.length);
    expect(CURRENCY_CODES.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });

  it.each([
    ["1.2345", "EUR", 123n, "123.45"],
    ["1234.5", "JPY", 1235n, "1234.5"],
    ["10.5", "JPY", 11n, "10.5"],
    ["1.2345", "KWD", 1235n, "1234.5"],
  ])("%s %s is %s in whole minor units, %s before rounding", (amount, code, rounded, exact) => {
    expect(roundToMinor(decimal(amount), currency(code))).toBe(rounded);
    expect(exactText(inMinorUnits(decimal(amount), currency(code)))).toBe(exact);
  });

  it("go back to major units", () => {
    expect(exactText(inMajorUnits(minor(123n), currency("EUR")))).toBe("1.23");
    expect(exactText(inMajorUnits(minor(123n), currency("JPY")))).toBe("123");
  });

  it("add up, and round where they were exact", () => {
    expect(sumMinor([minor(1n), minor(-3n)])).toBe(-2n);
    expect(roundMinor(decimal("-0.5"))).toBe(-1n);
    expect(leastMinor(minor(2n), minor(1n))).toBe(1n);
    expect(leastMinor(minor(1n), minor(2n))).toBe(1n);
  });
});
