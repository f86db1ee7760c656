import { expect, it, test } from "vitest";
import { isTimeZone } from "./index.ts";

it.each([
  "UTC",
  "Europe/Paris",
  "America/Argentina/Buenos_Aires",
  "Asia/Kolkata",
  "Asia/Calcutta",
  "Europe/Kyiv",
  "US/Eastern",
])("%s is a zone", (name) => expect(isTimeZone(name)).toBe(true));

it.each([
  "Mars/Olympus",
  "CET",
  "EST",
  "europe/paris",
  "Europe/paris",
  "+02:00",
  "Etc/GMT+5",
  "",
  "UTC\u0000",
  "../etc/passwd",
  "GMT+1",
])("%j is none", (name) => expect(isTimeZone(name)).toBe(false));

test("every zone of the runtime is accepted", () => {
  expect(Intl.supportedValuesOf("timeZone").filter((name) => !isTimeZone(name))).toEqual([]);
});
