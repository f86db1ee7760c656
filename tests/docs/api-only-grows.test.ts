// The API only grows: what the last release described is still true. ADR 0008, 0048.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { resolveRefs } from "../../packages/server/src/testing/resolve-refs.ts";
import { listReleases, readReleasedDescription } from "../../scripts/release/record.ts";
import { root } from "../doors/door.ts";
import { breaksBetween, type Description } from "./api-only-grows.ts";

const read = (text: string): Description => resolveRefs(JSON.parse(text));

const now = read(readFileSync(join(root, "docs/reference/openapi.json"), "utf8"));

test.each(listReleases(root).slice(-1))("nothing of the last release, %s, is gone or has changed", (version) => {
  expect(breaksBetween(read(readReleasedDescription(root, version)), now)).toEqual([]);
});

test("a description breaks nothing of itself", () => {
  expect(breaksBetween(now, now)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: a plant reaches into any place of the document
type Plant = (document: any) => void;

const taxOf = (document: Parameters<Plant>[0], part: "create" | "show") => {
  const { post, get } = document.paths["/api/v1/taxes"] && {
    post: document.paths["/api/v1/taxes"].post,
    get: document.paths["/api/v1/taxes/{code}"].get,
  };
  const content = part === "create" ? post.requestBody.content : get.responses["200"].content;
  return content["application/json"].schema.properties.tax;
};

const BREAKS: Readonly<Record<string, readonly [Plant, RegExp]>> = {
  "an operation is gone": [(it) => delete it.paths["/api/v1/taxes"].post, /^POST \/api\/v1\/taxes is gone$/],
  "an operation is renamed": [
    (it) => (it.paths["/api/v1/taxes"].post.operationId = "addTax"),
    /was createTax and is addTax/,
  ],
  "a message is gone": [(it) => delete it.webhooks["invoice.created"], /^POST invoice\.created is gone$/],
  "a parameter is gone": [(it) => it.paths["/api/v1/taxes"].get.parameters.shift(), /\?page is gone$/],
  "a parameter becomes mandatory": [
    (it) => (it.paths["/api/v1/taxes"].get.parameters[0].required = true),
    /\?page is now mandatory/,
  ],
  "a new parameter is mandatory": [
    (it) => it.paths["/api/v1/taxes"].get.parameters.push({ in: "query", name: "zone", required: true, schema: {} }),
    /\?zone is now mandatory/,
  ],
  "a response member is gone": [(it) => delete taxOf(it, "show").properties.rate, /200\.tax\.rate is gone$/],
  "a response member may be absent": [
    (it) => (taxOf(it, "show").required = taxOf(it, "show").required.filter((name: string) => name !== "rate")),
    /200\.tax\.rate may now be absent$/,
  ],
  "a response type is widened": [
    (it) => (taxOf(it, "show").properties.rate.type = ["number", "null"]),
    /rate may now be null$/,
  ],
  "a response type is open": [(it) => (taxOf(it, "show").properties.rate = {}), /rate may now be anything$/],
  "a message member may be null": [
    (it) =>
      (it.webhooks["invoice.created"].post.requestBody.content[
        "application/json"
      ].schema.properties.invoice.properties.number.type = ["string", "null"]),
    /invoice\.created\.invoice\.number may now be null$/,
  ],
  "a request member is gone": [
    (it) => delete taxOf(it, "create").properties.description,
    /POST .*tax\.description is gone$/,
  ],
  "a request type is no longer taken": [
    (it) => (taxOf(it, "create").properties.rate.type = "string"),
    /rate no longer takes (number|integer)$/,
  ],
  "an enum value is no longer taken": [
    (it) =>
      it.paths["/api/v1/billable_metrics"].post.requestBody.content[
        "application/json"
      ].schema.properties.billable_metric.properties.aggregation_type.enum.shift(),
    /aggregation_type no longer takes count_agg$/,
  ],
  "any text becomes a choice": [
    (it) => (taxOf(it, "create").properties.name.enum = ["VAT"]),
    /name no longer takes any value$/,
  ],
  "a request member becomes mandatory": [
    (it) => taxOf(it, "create").required.push("description"),
    /description is now mandatory$/,
  ],
  "a form of a request is gone": [
    (it) =>
      it.paths["/api/v1/plans"].post.requestBody.content[
        "application/json"
      ].schema.properties.plan.properties.charges.items.properties.properties.anyOf.splice(5, 1),
    /properties has another form 6$/,
  ],
};

const GROWTH: Readonly<Record<string, Plant>> = {
  "a new operation": (it) => (it.paths["/api/v1/new"] = it.paths["/api/v1/taxes"]),
  "a new response member": (it) => (taxOf(it, "show").properties.color = { type: "string" }),
  "a new optional request member": (it) => (taxOf(it, "create").properties.color = { type: "string" }),
  "a new optional parameter": (it) =>
    it.paths["/api/v1/taxes"].get.parameters.push({ in: "query", name: "zone", schema: {} }),
  "a request type besides the old one": (it) => (taxOf(it, "create").properties.name.type = ["string", "number"]),
  "a request member that is no longer mandatory": (it) => taxOf(it, "create").required.shift(),
  "a response member that is never null again": (it) => (taxOf(it, "show").properties.description.type = "string"),
};

function planted(plant: Plant): string[] {
  const changed = structuredClone(now);
  plant(changed);
  return breaksBetween(now, changed);
}

describe("a break is found", () => {
  it.each(Object.entries(BREAKS))("%s", (_name, [plant, message]) => {
    const found = planted(plant);
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) expect(each).toMatch(message);
  });
});

describe("growth is none", () => {
  it.each(Object.entries(GROWTH))("%s", (_name, plant) => {
    expect(planted(plant)).toEqual([]);
  });
});
