/** Texts that have broken services before. JSON can carry all of them. */
import naughty from "big-list-of-naughty-strings" with { type: "json" };

const NUL = "\u0000";
const LONE_HIGH = "\ud800";
const LONE_LOW = "\udfff";

/** No text column can store these, so they must be refused. */
export const UNSTORABLE: readonly string[] = [
  NUL,
  `a${NUL}b`,
  `${"x".repeat(50)}${NUL}`,
  LONE_HIGH,
  LONE_LOW,
  `a${LONE_HIGH}b`,
  `${LONE_LOW}${LONE_HIGH}`,
  "\ud83d",
];

const OWN: readonly string[] = [
  "\u202Egnp.exe", // right-to-left override
  "a\u200bb\u200c\u200d\ufeff", // zero width
  "\ufeff",
  "\ufffd",
  "\u{1F600}\u{1F469}\u200d\u{1F4BB}", // four bytes each, and a joined one
  "\u{10FFFF}",
  "\uFFFF\uFFFE",
  "é", // composed
  "e\u0301", // decomposed
  "ß",
  "ŉ",
  "İstanbul ı",
  "\u0001\u0008\u001b[31m\u007f\u0080\u009f",
  "a\r\nSet-Cookie: x=y\r\n\r\n<html>",
  "\u2028\u2029\u0085",
  "\t\v\f",
  "'; drop table customers; --",
  "\\x5c'",
  "\\",
  "\\u0000",
  "E'\\000'",
  "$1 $$ %s %n :name ?",
  "%_%",
  "{{7*7}} $" + "{7*7} <%= 7*7 %> #{7*7}",
  '=HYPERLINK("http://example.com","x")',
  "+1+1",
  "@SUM(1)",
  "-0",
  "NaN",
  "1e400",
  "1e3",
  " 1 ",
  "\u0661\u0662\u0663", // digits, but not ASCII ones
  "9007199254740993",
  "0.3000000000000000444089209850062616169452667236328125",
  "1234567890123456789012345678901234567890",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "",
  ".",
  "..",
  "../../../../etc/passwd",
  "a/b?c=d#e&f;g",
  "%00",
  "%2F%252F",
  "%zz",
  "x".repeat(20),
  "\u{1F600}".repeat(20),
  "x".repeat(256),
  "\u{1F600}".repeat(255),
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
];

const LISTED: readonly string[] = [...new Set(naughty)].filter((text) => !OWN.includes(text));

/** All of ours, and every `share`th text of the long list; `offset` selects another part of it. */
export const badTexts = (share: number, offset = 0): readonly string[] => [
  ...OWN,
  ...UNSTORABLE,
  ...LISTED.filter((_, index) => index % share === offset % share),
];
