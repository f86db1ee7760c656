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
  shownPath,
  tryInAll,
} from "../testing/request-fields.ts";
import { toPath } from "../testing/sample-requests.ts";
import {
  type Answer,
  type Call,
  callersOf,
  makeTestOrganization,
  startTallystick,
} from "../testing/start-tallystick.ts";

/** Members that name another record. An unknown name gets 404, and the response has no member of the same name. */
const REFERENCES = [
  "test_clock_id",
  "tax_codes",
  "plan_codes",
  "plan_code",
  "billable_metric_codes",
  "billable_metric_id",
  "billable_metric_code",
  "taxes",
  "id",
  "svc_id",
];

/** Members that the schema leaves free but the module validates, so that few texts are stored. */
const HARDLY_FREE: Readonly<Record<string, string>> = {
  rate: "a number in text",
  "identity_provider.issuer": "an https address",
  "invitation.email": "an address that mail can reach",
  payment_provider: "one of a list; an unknown one is an error only when the customer is new",
};

/** Members whose response form differs from the request form. */
const SHOWN_OTHERWISE: Readonly<Record<string, (text: string) => unknown>> = {
  country: (text) => text.toUpperCase(),
  document_number_prefix: (text) => text.toUpperCase(),
  rate: (text) => Math.abs(Number(text)),
  "subscription.name": (text) => text.trim(),
};

/** Each route is tested with another 24th of the long list; with ALL_BAD_TEXTS set, with all of it. */
const SHARE = process.env.ALL_BAD_TEXTS ? 1 : 24;

const callers = callersOf(import.meta.url);
const service = await startTallystick({ callers });
const routes = await documentRoutes(service.app);
const writes = routes.filter(({ method, sample }) => (method === "POST" || method === "PUT") && !sample.isAction);

test("every route that takes a body has a sample body and fields to try, and an action has none", () => {
  expect(writes.length).toBeGreaterThan(4);
  const without = writes.filter(({ sample, fields }) => !sample.body || fields.length === 0);
  const actions = routes.filter(({ sample, fields }) => sample.isAction && fields.length > 0);
  expect([...without, ...actions].map(({ name }) => name)).toEqual([]);
});

/** `GET /taxes/:code`, or `GET /organizations` where there is only one. */
function showRouteOf({ path }: DocumentedRoute): string {
  const [, resource] = path.split("/");
  const shows = routes.filter(({ method }) => method === "GET").map((route) => route.path);
  const found = shows.find((each) => new RegExp(`^/${resource}/:\\w+$`).test(each)) ?? `/${resource}`;
  if (!shows.includes(found)) throw new Error(`nothing shows what ${path} made`);
  return found;
}

/** The record that a request created or changed, as the API shows it afterwards. */
async function readBack(route: DocumentedRoute, answer: Answer, call: Call): Promise<unknown> {
  const [[name = "", made] = []] = Object.entries<Record<string, string> | Record<string, string>[]>(answer.body);
  const [record] = [made ?? []].flat();
  // Zero credits make no transaction.
  if (!record) return undefined;
  // A held invoice is named by the id of its invoice.
  const path = toPath(showRouteOf(route), { svc_id: record.svc_invoice_id ?? "", ...record });
  // A URL has no segments "." and "..": URL parsers remove them.
  if (/\/\.{1,2}$/.test(path)) return answer.body;
  const shown = await call("GET", path);
  if (shown.status !== 200) expect.fail(`GET ${path} answers ${shown.text}`);
  return Array.isArray(made) ? { [name]: Object.values(shown.body) } : shown.body;
}

describe.each(writes)("$name", { timeout: (120_000 * 24) / SHARE }, (route) => {
  const { sample, fields } = route;
  const isReference = ({ name }: Field) => REFERENCES.includes(name) || sample.references?.includes(name) === true;
  const texts = fields.filter((field) => field.isText && !isReference(field));
  const shownTexts = texts.filter(({ name }) => !sample.ignored?.includes(name));
  const references = fields.filter((field) => field.isText && isReference(field));
  const stored = new Map<Field, number>();
  // An organization of its own, so that no other route has used the code.
  const organization = makeTestOrganization(service.platform, route.name, { callers });
  const call: Call = async (method, path, body, options) =>
    service.call(method, path, body, { ...options, key: (await organization).key });
  let marks = 0;

  async function tryText(text: string): Promise<void> {
    if (texts.length === 0) return;
    const accepted = await tryInAll(route, texts, JSON.stringify(text), { call, mark: String(marks++) });
    if (!accepted) return;
    expect(UNSTORABLE).not.toContain(text);
    if (shownTexts.length === 0) return;
    const shown = await readBack(route, accepted.answer, call);
    if (shown === undefined) return;
    for (const field of accepted.fields.filter((each) => shownTexts.includes(each))) {
      const shownAs = SHOWN_OTHERWISE[field.path.join(".")] ?? SHOWN_OTHERWISE[field.name];
      const expected = shownAs?.(text) ?? text;
      const found = at(shown, shownPath(route, field.path));
      if (found !== expected) expect(found, field.path.join(".")).toBe(expected);
      stored.set(field, (stored.get(field) ?? 0) + 1);
    }
  }

  test("every text field takes every bad text, and shows what it stored as it was", async () => {
    // An organization has one record of itself, and room for few webhook endpoints: a sample deletes those of the others.
    const isOnlyOne =
      route.path.startsWith("/webhook_endpoints") || (route.method === "PUT" && !route.path.includes(":"));
    await inLanes(badTexts(SHARE, writes.indexOf(route)), isOnlyOne ? 1 : 6, tryText);
    for (const field of shownTexts.filter(
      ({ name, path, isFree }) => isFree && !(name in HARDLY_FREE) && !(path.join(".") in HARDLY_FREE),
    ))
      expect(stored.get(field) ?? 0, `${field.path.join(".")} stored hardly anything`).toBeGreaterThan(10);
  });

  test("every member that names another record takes every bad text", async () => {
    for (const [index, { path }] of references.entries()) {
      // Created once: each attempt names another record, and is refused or changes nothing.
      const parameters = (await sample.given?.(call, String(marks++))) ?? {};
      await inLanes(badTexts(SHARE * 2, index), 6, async (text) => {
        const body = put(sample.body?.(String(marks++), parameters), path, text);
        expectHarmless(await call(route.method as "POST", toPath(route.path, parameters), body), route, text);
      });
    }
  });
});
