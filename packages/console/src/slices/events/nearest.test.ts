import { expect, test } from "vitest";
import { nearestOf } from "./nearest.ts";

const CODES = ["tokens", "api_calls", "storage_gb"];

test.each([
  ["token", "tokens"],
  ["Tokens", "tokens"],
  ["tokesn", "tokens"],
  ["apicalls", "api_calls"],
  ["storage", "storage_gb"],
])("%s is nearest to %s", (word, nearest) => {
  expect(nearestOf(word, CODES)).toBe(nearest);
});

test.each(["seats", "t", ""])("nothing is near to %j", (word) => {
  expect(nearestOf(word, CODES)).toBeUndefined();
});
