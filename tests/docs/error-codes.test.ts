// Every code that the service can answer with is in the error reference, so that nobody has to read the source for it.

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

/** Where a code stands as a literal; the name says who throws it. */
const PLACES: Readonly<Record<string, RegExp>> = {
  "problem(code) of a module": /\bproblem\(\s*"([a-z_]+)"/g,
  "refusal(status, code) of the platform": /\brefusal\(\s*\d{3},\s*"([a-z_]+)"/g,
  "invalid({ member: [code] })": /\binvalid\(\{[^}]*?\[\s*"([a-z_]+)"/g,
  "invalid(member, code) of a module": /\binvalid\(\s*[^{}(),]+,\s*"([a-z_]+)"/g,
  "x-code of a schema": /"x-code":\s*"([a-z_]+)"/g,
  "code of a format": /\{\s*code:\s*"([a-z_]+)"/g,
  "code of a schema keyword": /(?:\breturn|\?|:|\?\?) "((?:value|invalid)_[a-z_]+)"/g,
};

const codesAt = (place: RegExp, sources: readonly string[]): string[] => [
  ...new Set(sources.flatMap((source) => Array.from(source.matchAll(place), (match) => match[1] ?? ""))),
];

const isListed = (code: string): boolean => reference.includes(`| \`${code}\` | `);

// Core names codes too, but a caller meets them only where a module answers with them.
const sources = sourcesIn("packages/server/src");

describe.each(Object.entries(PLACES))("%s", (_name, place) => {
  const codes = codesAt(place, sources);

  test("occurs in the sources, or nothing would be checked", () => {
    expect(codes.length).toBeGreaterThan(0);
  });

  test("names only codes of the error reference", () => {
    expect(codes.filter((code) => !isListed(code))).toEqual([]);
  });
});

test("every status that the platform has words for is in the error reference", () => {
  const problem = readFileSync(join(root, "packages/server/src/http/problem.ts"), "utf8");
  const statuses = Array.from(problem.matchAll(/^ {2}(\d{3}): "/gm), (match) => match[1] ?? "");
  expect(statuses.length).toBeGreaterThan(10);
  expect(statuses.filter((status) => !reference.includes(`\n| ${status} | `))).toEqual([]);
});

test("a code that is not in the reference is found wherever it stands", () => {
  const planted = [
    'throw couponErrors.problem("planted_problem");',
    'throw refusal(404, "planted_refusal");',
    'throw invalid({ [field]: ["planted_member"] });',
    'throw couponErrors.invalid("code", "planted_invalid");',
    'Type.String({ "x-code": "planted_schema" })',
    'timezone: { code: "planted_format", accepts: isTimeZone },',
    'if (error.keyword === "minLength") return "value_planted";',
  ];
  const found = Object.values(PLACES).map((place) => codesAt(place, planted));
  expect(found.map((codes) => codes.length)).toEqual(found.map(() => 1));
  expect(found.flat().filter(isListed)).toEqual([]);
});
