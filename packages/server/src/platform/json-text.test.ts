import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasEscapedName, parseExactJson, parseJson, toExactJson } from "./json-text.ts";

/** Short names of these are taken for each other by the runtime. */
const name = fc.string({
  unit: fc.constantFrom("\\", '"', " ", "n", "\n", "t", "\t", "x", "ö"),
  minLength: 1,
  maxLength: 3,
});
const objects = fc.array(fc.dictionary(name, fc.oneof(fc.integer(), name, fc.array(name)), { maxKeys: 3 }), {
  maxLength: 4,
});

const forAll = <T>(values: fc.Arbitrary<T>, check: (value: T) => void) =>
  fc.assert(fc.property(values, check), { numRuns: 2_000, seed: 1 });

describe("text with any names", () => {
  test("is read as it was written", () => {
    forAll(objects, (value) => {
      expect(JSON.stringify(parseJson(JSON.stringify(value)))).toBe(JSON.stringify(value));
      expect(toExactJson(parseExactJson(JSON.stringify(value)))).toBe(JSON.stringify(value));
    });
  });

  test("is read with all digits of whole numbers", () => {
    const text = '{"\\"":[12345678901234567890,1.50,-3]}';
    expect(parseExactJson(text)).toStrictEqual({ '"': [12345678901234567890n, 1.5, -3] });
    expect(parseJson(text)).toStrictEqual({ '"': [12345678901234567000, 1.5, -3] });
  });

  test("cannot replace the prototype of what is read", () => {
    const value = parseJson('{"\\u005f_proto__":{"admin":true},"\\"":1}') as { admin?: boolean };
    expect(value.admin).toBeUndefined();
  });

  test("is refused if it is not JSON", () => {
    for (const text of ['{"\\"":1,}', '{"\\"":1', '{"\\":1}', '{"\\x":1}', '{/**/"\\"":1}', "\\"])
      expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

test("a name with an escape is found at any distance from its colon", () => {
  forAll(objects, (value) => {
    const isEscaped = value.flatMap(Object.keys).some((text) => JSON.stringify(text).includes("\\"));
    expect(hasEscapedName(JSON.stringify(value))).toBe(isEscaped);
    expect(hasEscapedName(JSON.stringify(value, null, "\t").replaceAll('":', '"\r\n :'))).toBe(isEscaped);
  });
});
