import fc from "fast-check";
import { expect, it, test } from "vitest";
import { parseTaxRate } from "./index.ts";

it.each([
  ["20", "20"],
  ["8.875", "8.875"],
  ["0", "0"],
  ["19.50", "19.5"],
  ["999.9999999999", "999.9999999999"],
])("%s is a rate", (text, rate) => {
  const parsed = parseTaxRate(text);
  expect(parsed.ok && parsed.value.toFixed()).toBe(rate);
});

it.each(["", "abc", "1e3", " 1 ", "١٢٣", "1,5", ".5", "NaN", "--1"])("%j is not a number", (text) => {
  expect(parseTaxRate(text)).toEqual({ ok: false, error: "value_is_invalid" });
});

it.each(["-0.1", "1000", "1.12345678901"])("%s is out of range", (text) => {
  expect(parseTaxRate(text)).toEqual({ ok: false, error: "value_is_out_of_range" });
});

test("the JSON number that shows a rate is exactly the rate", () => {
  const rates = fc
    .tuple(fc.nat(999), fc.nat(9_999_999_999))
    .map(([whole, part]) => `${whole}.${String(part).padStart(10, "0")}`);
  fc.assert(
    fc.property(rates, (text) => {
      const parsed = parseTaxRate(text);
      return parsed.ok && parsed.value.eq(JSON.stringify(Number(parsed.value.toFixed())));
    }),
    { examples: [["0.0000000001"]].map(([text]) => [text as string]) },
  );
});
