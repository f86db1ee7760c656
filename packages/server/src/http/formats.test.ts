import { expect, it, test } from "vitest";
import { FORMATS, FORMATTED_LENGTH_MAX, isOfFormat } from "./formats.ts";

const accepts = (name: string, text: string): boolean => {
  const format = FORMATS[name];
  return format !== undefined && isOfFormat(format)(text);
};

it.each([
  ["country", ["FR", "fr", "Us"], ["", "F", "FRA", "ZZ", "ß", "ﬁ", "ıt", " FR", "F\u0000"]],
  ["currency", ["EUR", "JPY"], ["", "eur", "EURO", "€", "__proto__", "constructor"]],
  ["timezone", ["UTC", "Europe/Paris", "Asia/Kolkata"], ["", "CET", "europe/paris", "+01:00", "Europe/", "../etc"]],
  [
    "emails",
    ["", "a@b.c", "a@b.c,d@e.f", "a@b.c, d@e.f", "é@ü.de", "a+b@c.d.e"],
    [
      "a",
      "@b.c",
      "a@b",
      "a@b.c,",
      "a b@c.d",
      "a@b.c;d@e.f",
      '"a"@b.c',
      "a@b@c.d",
      "<a@b.c>",
      "a@b.c\nBcc: x@y.z",
      "a@b.c\r\n",
      "a@b.c,\r\nd@e.f",
    ],
  ],
  [
    "web-url",
    ["http://a", "https://a.b/c?d=e#f", "https://[::1]:8080/"],
    ["", "a", "ftp://a", "javascript:alert(1)", "//a", "http://", "http://a b", "http://a\n", " http://a"],
  ],
  [
    "datetime",
    [
      "2026-01-31",
      "2026-01-31T10:20Z",
      "2026-01-31T10:20:30.123456789+05:30",
      "2024-02-29",
      "1900-01-01",
      "9999-12-31",
    ],
    [
      "",
      "2026",
      "2026-02-30",
      "2026-13-01",
      "31.01.2026",
      "2026-01-31 10:20",
      "1899-12-31",
      "10000-01-01",
      "now",
      "٢٠٢٦-٠١-٣١",
    ],
  ],
])("%s accepts %j and refuses %j", (name, good, bad) => {
  expect(good.filter((text) => !accepts(name, text))).toEqual([]);
  expect(bad.filter((text) => accepts(name, text))).toEqual([]);
});

test("a text that is too long is refused before its format is checked", () => {
  const long = `a@${".".repeat(FORMATTED_LENGTH_MAX)}@`;
  const looked: string[] = [];
  const curious = isOfFormat({ code: "value_is_invalid", accepts: (text) => looked.push(text) > 0 });
  expect(curious(long)).toBe(false);
  expect(looked).toEqual([]);
  expect(curious("short")).toBe(true);
});
