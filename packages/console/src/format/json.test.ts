import { expect, test } from "vitest";
import { indentJson } from "./json.ts";

test("each member has a line, as JSON.stringify writes it", () => {
  const value = { webhook_type: 'a{b}, [c]: "d\\', list: [1, { x: null }, "\n"], none: {}, empty: [], no: -1.5e3 };
  expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test("a number that JavaScript would round stays as it is", () => {
  expect(indentJson('{"amount_cents":9007199254740993}')).toBe('{\n  "amount_cents": 9007199254740993\n}');
});
