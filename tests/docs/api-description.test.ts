// The API description is small enough to read, complete, and fit to generate clients from.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Document, type Operation, operationsOf } from "../../packages/server/src/http/openapi-names.ts";
import { API_WORDS } from "../../packages/server/src/main/api-description.ts";
import { resolveRefs } from "../../packages/server/src/testing/resolve-refs.ts";
import { root } from "../doors/door.ts";

const file = join(root, "docs/reference/openapi.json");
const text = readFileSync(file, "utf8");
const document: Document & { tags: { name: string }[] } = JSON.parse(text);
const resolved: Document = resolveRefs(document);
const operations = operationsOf(document.paths);

const LINES_MAX = 220;
const MEMBERS_MAX = 5;

test(`an operation takes at most ${LINES_MAX} lines on average`, () => {
  expect(text.split("\n").length / operations.length).toBeLessThanOrEqual(LINES_MAX);
});

/** Every object schema with more than a few members, as text. */
function largeObjects(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties = {} } = value as { properties?: object };
  const inside = Object.entries(value).flatMap(([key, member]) =>
    /^examples?$/.test(key) ? [] : largeObjects(member),
  );
  return Object.keys(properties).length > MEMBERS_MAX ? [JSON.stringify(value), ...inside] : inside;
}

const repeated = (all: readonly string[]): string[] => all.filter((one, index) => all.indexOf(one) !== index);

test(`no object of more than ${MEMBERS_MAX} members is described twice`, () => {
  expect(largeObjects(document).length).toBeGreaterThan(50);
  expect(repeated(largeObjects(document))).toEqual([]);
  expect(repeated(largeObjects(resolved)).length).toBeGreaterThan(50);
});

test("every record that an operation returns, and every message, has a named schema, which becomes a named type", () => {
  const unnamed = operationsOf(document.paths).flatMap(({ operationId, responses }) => {
    const { $ref, content } = responses["200"] ?? {};
    const shown = $ref ? document.components.responses?.[$ref.split("/").at(-1) ?? ""]?.content : content;
    const { properties = {} } = (shown?.["application/json"]?.schema ?? {}) as { properties?: Record<string, object> };
    const members = Object.entries(properties).map(([name, member]) => [name, JSON.stringify(member)] as const);
    return members.filter(([, member]) => !member.includes('"$ref"')).map(([name]) => `${operationId} ${name}`);
  });
  // One text, which is no record.
  expect(unnamed).toEqual(["getWebhookPublicKey webhook"]);
});

test("every operation and message has an id of its own, a summary, a description and a declared tag", () => {
  const messages = operationsOf(document.webhooks);
  const ids = [...operations, ...messages].map(({ operationId }) => operationId ?? "");
  expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]*)+$/.test(id))).toEqual([]);
  expect(repeated(ids)).toEqual([]);
  const isMute = ({ summary, description }: Operation) => !summary || !description;
  expect(operations.filter(isMute).map(({ operationId }) => operationId)).toEqual([]);
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  expect([...tags].sort()).toEqual(document.tags.map(({ name }) => name).sort());
});

test("every id chosen by hand is in use", () => {
  const ids = new Set(operations.map(({ operationId }) => operationId));
  expect(Object.values(API_WORDS.operationIds).filter((id) => !ids.has(id))).toEqual([]);
});

test("the linter of OpenAPI finds nothing", () => {
  const lint = ["lint", file, "--format=json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const report = execFileSync(join(root, "node_modules/.bin/redocly"), lint, { env, encoding: "utf8", cwd: root });
  const { totals, problems } = JSON.parse(report);
  expect(problems).toEqual([]);
  expect(totals).toMatchObject({ errors: 0, warnings: 0 });
});
