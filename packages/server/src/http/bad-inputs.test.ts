import { describe, expect, test } from "vitest";
import { badTexts, UNSTORABLE } from "../testing/bad-texts.ts";
import {
  at,
  type DocumentedRoute,
  documentRoutes,
  expectHarmless,
  type Field,
  inLanes,
  put,
  tryInAll,
} from "../testing/request-fields.ts";
import { toPath } from "../testing/sample-requests.ts";
import { type Answer, type Call, makeTestOrganization, startTallystick } from "../testing/start-tallystick.ts";

/** Members that name another record: what is not found there is 404, and nothing of them is shown under the same name. */
const REFERENCES = [
  "test_clock_id",
  "tax_codes",
  "plan_codes",
  "billable_metric_codes",
  "billable_metric_id",
  "taxes",
  "id",
  "svc_id",
];

/** Members that the schema leaves free but the module does not, so that few texts are stored. */
const HARDLY_FREE: Readonly<Record<string, string>> = {
  rate: "a number in text",
  payment_provider: "one of a list; an unknown one is an error only when the customer is new",
};

/** Members that are shown in another form than they came in. */
const SHOWN_OTHERWISE: Readonly<Record<string, (text: string) => unknown>> = {
  country: (text) => text.toUpperCase(),
  document_number_prefix: (text) => text.toUpperCase(),
  rate: (text) => Math.abs(Number(text)),
};

/** Each route is tried with another quarter of the long list; with ALL_BAD_TEXTS set, with all of it. */
const SHARE = process.env.ALL_BAD_TEXTS ? 1 : 4;

const service = await startTallystick();
const routes = await documentRoutes(service.app);
const writes = routes.filter(({ method }) => method === "POST" || method === "PUT");

test("every route that takes a body has a sample body and fields to try", () => {
  expect(writes.length).toBeGreaterThan(4);
  const without = writes.filter(({ sample, fields }) => !sample.body || fields.length === 0);
  expect(without.map(({ name }) => name)).toEqual([]);
});

/** `GET /taxes/:code`, or `GET /organizations` where there is only one. */
function showRouteOf({ path }: DocumentedRoute): string {
  const [, resource] = path.split("/");
  const shows = routes.filter(({ method }) => method === "GET").map((route) => route.path);
  const found = shows.find((each) => new RegExp(`^/${resource}/:\\w+$`).test(each)) ?? `/${resource}`;
  if (!shows.includes(found)) throw new Error(`nothing shows what ${path} made`);
  return found;
}

/** The record that a request made or changed, as it is shown afterwards. */
async function readBack(route: DocumentedRoute, answer: Answer, call: Call): Promise<unknown> {
  const [record = {}] = Object.values(answer.body) as Record<string, string>[];
  const path = toPath(showRouteOf(route), record);
  // A URL has no segments "." and "..": whoever parses it removes them.
  if (/\/\.{1,2}$/.test(path)) return answer.body;
  const shown = await call("GET", path);
  if (shown.status !== 200) expect.fail(`GET ${path} answers ${shown.text}`);
  return shown.body;
}

describe.each(writes)("$name", { timeout: (60_000 * 4) / SHARE }, (route) => {
  const { sample, fields } = route;
  const texts = fields.filter((field) => field.isText && !REFERENCES.includes(field.name));
  const shownTexts = texts.filter(({ name }) => !sample.ignored?.includes(name));
  const references = fields.filter((field) => field.isText && REFERENCES.includes(field.name));
  const stored = new Map<Field, number>();
  // An organization of its own, so that a code which another route has used is not taken.
  const organization = makeTestOrganization(service.platform, route.name);
  const call: Call = async (method, path, body, options) =>
    service.call(method, path, body, { ...options, key: (await organization).key });
  let marks = 0;

  async function tryText(text: string): Promise<void> {
    const accepted = await tryInAll(route, texts, JSON.stringify(text), { call, mark: String(marks++) });
    if (!accepted) return;
    expect(UNSTORABLE).not.toContain(text);
    const shown = await readBack(route, accepted.answer, call);
    for (const field of accepted.fields.filter((each) => shownTexts.includes(each))) {
      const expected = SHOWN_OTHERWISE[field.name]?.(text) ?? text;
      const found = at(shown, field.path);
      if (found !== expected) expect(found, field.path.join(".")).toBe(expected);
      stored.set(field, (stored.get(field) ?? 0) + 1);
    }
  }

  test("every text field takes every bad text, and shows what it stored as it was", async () => {
    const isOnlyOne = route.method === "PUT" && !route.path.includes(":");
    await inLanes(badTexts(SHARE, writes.indexOf(route)), isOnlyOne ? 1 : 6, tryText);
    for (const field of shownTexts.filter(({ name, isFree }) => isFree && !(name in HARDLY_FREE)))
      expect(stored.get(field) ?? 0, `${field.path.join(".")} stored hardly anything`).toBeGreaterThan(10);
  });

  test("every member that names another record takes every bad text", async () => {
    for (const [index, { path }] of references.entries())
      await inLanes(badTexts(SHARE * 4, index), 6, async (text) => {
        const mark = String(marks++);
        const parameters = (await sample.given?.(call, mark)) ?? {};
        const body = put(sample.body?.(mark, parameters), path, text);
        expectHarmless(await call(route.method as "POST", toPath(route.path, parameters), body), route, text);
      });
  });
});
