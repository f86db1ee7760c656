import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { canonicalText, numericValue } from "./index.ts";

const text = (json: string) => {
  const result = canonicalText(json);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

describe("the canonical text of a property", () => {
  it.each([
    ["1e3", "1000"],
    ["1E+3", "1000"],
    ["1.0", "1"],
    ["1", "1"],
    ["-0", "0"],
    ["-0.0e7", "0"],
    ["0e99999999999", "0"],
    ["0.1", "0.1"],
    ["1e-3", "0.001"],
    ["-12.50", "-12.5"],
    [" 7 ", "7"],
    ["1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890"],
    ["0.1234567890123456789012345678901234567890", "0.123456789012345678901234567890123456789"],
    ["9007199254740993", "9007199254740993"],
    ['"12.5"', "12.5"],
    ['"1.0"', "1.0"],
    ['"1e3"', "1e3"],
    ['""', ""],
    ['" a\\u00e9\\n"', " aé\n"],
    ['"null"', "null"],
    ["true", "true"],
    ["false", "false"],
    ["[]", "[]"],
    ["{}", "{}"],
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['{ "10": 1.0, "9": [1e2, "1e2", null, true, {"z": -0}] }', '{"10":1,"9":[100,"1e2",null,true,{"z":0}]}'],
    ['{"b":{"d":1,"c":2},"a":"x\\"y"}', '{"a":"x\\"y","b":{"c":2,"d":1}}'],
    ['{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
    ["[123456789012345678901234567890.10]", "[123456789012345678901234567890.1]"],
  ])("of %s is %s", (json, canonical) => expect(text(json)).toBe(canonical));

  it("of null is none: the property is absent", () => expect(text("null")).toBeNull());

  it("keeps every digit of 1e400", () => expect(text("1e400")).toBe(`1${"0".repeat(400)}`));

  it.each(["1e999", "-1e999", "1e-1000", `1${"0".repeat(999)}`])("takes %s, up to 1,000 digits a side", (json) =>
    expect(canonicalText(json).ok).toBe(true),
  );

  it.each(["1e1000", "-1e1000", "1e-1001", "1e999999999999999999999", '{"a":[1e1000,1]}', `1${"0".repeat(1000)}`])(
    "refuses %s instead of writing it out",
    (json) => expect(canonicalText(json)).toEqual({ ok: false, error: "number_too_long" }),
  );

  it("refuses what is nested deeper than 100 levels, and only that", () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}"[[["${"}]".repeat(levels / 2)}`;
    expect(text(nested(100))).toBe(nested(100));
    expect(canonicalText(nested(102))).toEqual({ ok: false, error: "nested_too_deep" });
    expect(canonicalText("[".repeat(50_000) + "]".repeat(50_000))).toEqual({ ok: false, error: "nested_too_deep" });
    expect(text(`"${"[".repeat(200)}"`)).toBe("[".repeat(200));
    expect(text(`[${'{"a":1},'.repeat(200)}1]`)).toBe(`[${'{"a":1},'.repeat(200)}1]`);
    expect(text(`["\\"${"[".repeat(200)}"]`)).toBe(`["\\"${"[".repeat(200)}"]`);
  });

  it("throws on what is not JSON, which the door has refused already", () =>
    expect(() => canonicalText("1,5")).toThrow());

  test("of any number is a plain decimal of the same value", () =>
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: -60, max: 60 }), (digits, exponent) => {
        const canonical = text(`${digits}e${exponent}`) ?? "";
        expect(canonical).toMatch(/^(0|-?([1-9]\d*|0\.\d*[1-9]|[1-9]\d*\.\d*[1-9]))$/);
        const [whole = "", decimals = ""] = canonical.split(".");
        expect(BigInt(whole + decimals) * 10n ** BigInt(60 - decimals.length)).toBe(
          digits * 10n ** BigInt(60 + exponent),
        );
      }),
    ));

  test("does not depend on the order of keys, and is its own canonical text", () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (object) => {
        const turned = Object.fromEntries(Object.entries(object).reverse());
        const canonical = text(JSON.stringify(object));
        expect(text(JSON.stringify(turned))).toBe(canonical);
        expect(text(canonical ?? "")).toBe(canonical);
        expect(JSON.parse(canonical ?? "")).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    ));
});

describe("a number in a property", () => {
  it.each([
    ["12.5", "12.5"],
    ["-3", "-3"],
    ["0", "0"],
    ["-0", "0"],
    ["007", "7"],
    ["1.50", "1.5"],
    ["123456789012345678.000000000000001", "123456789012345678.000000000000001"],
    ["-999999999999999999.5", "-999999999999999999.5"],
    ["0000000000000000000000000000017", "17"],
  ])("%s is %s", (property, value) => expect(numericValue(property)?.toFixed()).toBe(value));

  it.each([
    "1e3",
    "12,5",
    " 5",
    "5 ",
    "5\n",
    "+5",
    "5.",
    ".5",
    "-",
    "--1",
    "abc",
    "",
    "0x10",
    "1_000",
    "٣",
    "NaN",
    "Infinity",
    "true",
    "1000000000000000000",
    "-1000000000000000000",
    "0001000000000000000000.5",
    `1${"0".repeat(30)}`,
  ])("%j is none", (property) => expect(numericValue(property)).toBeUndefined());

  it("has at most 2,002 characters, as many as a JSON number can have when it is written out", () => {
    expect(numericValue(`-${"0".repeat(999)}9.${"9".repeat(1000)}`)?.lt("0")).toBe(true);
    expect(numericValue("0".repeat(2003))).toBeUndefined();
  });

  it("is none where there is no property", () => expect(numericValue(undefined)).toBeUndefined());

  it("written as JSON 1e3 is 1000, for numbers are taken by value", () =>
    expect(numericValue(text("1e3") ?? "")?.toFixed()).toBe("1000"));
});
