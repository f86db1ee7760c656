// Every code of the service is in the error reference, so that no client has to read the source.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../doors/door.ts";

const reference = readFileSync(join(root, "docs/reference/errors.md"), "utf8");

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("testing"))
    .map((path) => readFileSync(join(root, folder, path), "utf8"));
}

/** Where codes appear as literals, by who throws them. */
const PLACES: Readonly<Record<string, RegExp>> = {
  "problem(code) of a module": /\bproblem\(\s*"([a-z_]+)"/g,
  "refusal(status, code) of the platform": /\brefusal\(\s*\d{3},\s*"([a-z_]+)"/g,
  "invalid({ member: [code] })": /\binvalid\(\{[^}]*?\[\s*"([a-z_]+)"/g,
  "invalid(member, code) of a module": /\binvalid\(\s*[^{}(),]+,\s*"([a-z_]+)"/g,
  "x-code of a schema": /"x-code":\s*"([a-z_]+)"/g,
  "code of a format": /\{\s*code:\s*"([a-z]+_[a-z_]+)"/g,
  "code of a schema keyword": /(?:\breturn|\?|:|\?\?) "((?:value|invalid)_[a-z_]+)"/g,
};

/** Where core's payload checks name a code. Modules answer with these codes. */
const CORE_PLACES: Readonly<Record<string, RegExp>> = {
  "fault(member, code) of core": /\bfault\(\s*[\w."]+,\s*"([a-z_]+)"/g,
  "holds(condition, member, code) of core": /\bholds\([^;]*?,\s*[\w."]+,\s*"([a-z_]+)",?\s*\)/g,
  "fail(code) of core": /\bfail\(\s*"([a-z_]+)"/g,
  "one of two codes of core": /[?:] "((?:value|invalid)_[a-z_]+)"/g,
  "code that a reader of core is given": /, "(invalid_[a-z_]+)"\)|\bcode = "([a-z_]+)"/g,
};

/** A code of ranges combines the fault and their name: `missing_${name}`. */
function codesOfRanges(source: string): string[] {
  const [, union = ""] = /\btype RangesName = ([^;]+);/.exec(source) ?? [];
  const names = Array.from(union.matchAll(/"([a-z_]+)"/g), (match) => match[1] ?? "");
  const faults = new Set(Array.from(source.matchAll(/`([a-z]+)_\$\{name\}`/g), (match) => match[1] ?? ""));
  return [...faults].flatMap((fault) => names.map((name) => `${fault}_${name}`));
}

const codesAt = (place: RegExp, sources: readonly string[]): string[] => [
  ...new Set(sources.flatMap((source) => Array.from(source.matchAll(place), ([, code, other]) => code ?? other ?? ""))),
];

const isListed = (code: string): boolean => reference.includes(`| <a id="${code}"></a>\`${code}\` | `);

// Other stages of core name codes too, but a module answers with them only through its own catalog of errors.
const server = sourcesIn("packages/server/src");
const catalog = sourcesIn("packages/core/src/catalog");
const found: readonly (readonly [place: string, codes: readonly string[]])[] = [
  ...Object.entries(PLACES).map(([name, place]) => [name, codesAt(place, server)] as const),
  ...Object.entries(CORE_PLACES).map(([name, place]) => [name, codesAt(place, catalog)] as const),
  ["missing or invalid ranges", catalog.flatMap(codesOfRanges)],
];

describe.each(found)("%s", (_name, codes) => {
  test("occurs in the sources, so that the check is not empty", () => {
    expect(codes.length).toBeGreaterThan(0);
  });

  test("names only codes of the error reference", () => {
    expect(codes.filter((code) => !isListed(code))).toEqual([]);
  });
});

test("every status of the platform is in the error reference", () => {
  const source = readFileSync(join(root, "packages/server/src/http/statuses.ts"), "utf8");
  const statuses = Array.from(source.matchAll(/^ {2}(\d{3}): \{/gm), (match) => match[1] ?? "");
  expect(statuses.length).toBeGreaterThan(10);
  expect(statuses.filter((status) => !reference.includes(`\n| <a id="${status}"></a>${status} | `))).toEqual([]);
});

test("a code that is missing from the reference is found in every place", () => {
  const planted = [
    'throw couponErrors.problem("planted_problem");',
    'throw refusal(404, "planted_refusal");',
    'throw invalid({ [field]: ["planted_member"] });',
    'throw couponErrors.invalid("code", "planted_invalid");',
    'Type.String({ "x-code": "planted_schema" })',
    'timezone: { code: "planted_format", accepts: isTimeZone },',
    'if (error.keyword === "minLength") return "value_planted";',
  ];
  const codes = Object.values(PLACES).map((place) => codesAt(place, planted));
  expect(codes.map((each) => each.length)).toEqual(codes.map(() => 1));
  expect(codes.flat().filter(isListed)).toEqual([]);
});

test("a core code that is missing from the reference is found in every place", () => {
  const planted = [
    'return read.value.gt(ZERO) ? read : fault(field, "planted_fault");',
    'holds(\n  !(min.ok && isBelow(max, min)),\n  FIELD,\n  "planted_holds",\n),',
    'if (!DECIMAL_TEXT.test(text)) return fail("planted_fail");',
    'return fault(field, Number.isInteger(value) ? "value_is_planted" : other);',
    'packageSize: count(given.package_size, 1n, "invalid_planted"),',
  ];
  const codes = Object.values(CORE_PLACES).map((place) => codesAt(place, planted));
  expect(codes).toEqual([
    ["planted_fault"],
    ["planted_holds"],
    ["planted_fail"],
    ["value_is_planted"],
    ["invalid_planted"],
  ]);
  expect(
    codesAt(CORE_PLACES["code that a reader of core is given"] ?? /$^/g, ['(value: unknown, code = "planted")']),
  ).toEqual(["planted"]);
  expect(codes.flat().filter(isListed)).toEqual([]);

  const ranges = `type RangesName = "planted_ranges" | "other_ranges"; fault(FIELD, \`missing_\${name}\`); \`invalid_\${name}\``;
  expect(codesOfRanges(ranges)).toEqual([
    "missing_planted_ranges",
    "missing_other_ranges",
    "invalid_planted_ranges",
    "invalid_other_ranges",
  ]);
});
