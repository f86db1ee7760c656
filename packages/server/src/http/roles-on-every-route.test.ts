/** The table of roles, on every route of the API. It says for each role what it may read (r) and write (w), as in the guide. */
import { expect, it, test } from "vitest";
import { headersOf } from "../testing/call-api.ts";
import { listApiRoutes } from "../testing/list-routes.ts";
import { makeTestPerson, type PersonOptions } from "../testing/make-test-person.ts";
import { SAMPLES } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { ANY_CALLER } from "./auth.ts";

const { platform, app, organizations } = await startTallystick();
const [{ id } = { id: "" }] = organizations;

const CUSTOMERS = ["customer", "subscription", "applied_coupon", "wallet", "wallet_transaction"];
const INVOICES = ["invoice", "fee", "credit_note", "payment", "mail"];
const CATALOG = ["plan", "coupon", "add_on", "tax"];
const USAGE = ["billable_metric", "event", "customer_usage"];
const INTEGRATION = ["webhook_endpoint", "webhook_jwt_public_key", "message", "test_clock"];

/** Owner, admin, finance, developer, support. */
const TABLE: readonly [readonly string[], string, string, string, string, string][] = [
  [[...CUSTOMERS, ...INVOICES, ...CATALOG], "rw", "rw", "rw", "r", "r"],
  [USAGE, "rw", "rw", "r", "rw", "r"],
  [INTEGRATION, "rw", "rw", "", "rw", ""],
  [["api_key"], "rw", "rw", "", "rw", ""],
  [["organization"], "rw", "rw", "r", "r", ""],
  [["activity", "held_invoice"], "rw", "rw", "", "", ""],
  [["billing_run"], "rw", "rw", "rw", "r", ""],
  [["member", "role"], "rw", "rw", "", "", ""],
  [["identity_provider"], "rw", "r", "", "", ""],
  [[ANY_CALLER], "r", "r", "r", "r", "r"],
];
const ROLES: readonly NonNullable<PersonOptions["role"]>[] = ["owner", "admin", "finance", "developer", "support"];

const routes = listApiRoutes(app);

test("the table has every resource that a route needs", () => {
  const listed = TABLE.flatMap(([resources]) => resources);
  const needed = new Set(app.listPermissions().map(({ resource }) => resource));
  expect([...needed].filter((resource) => !listed.includes(resource))).toEqual([]);
});

it.each(ROLES)("%s reaches the routes that the table says, and no others", async (role) => {
  const headers = headersOf((await makeTestPerson(platform, id, { role })).credential);
  for (const { method, path } of routes) {
    const name = `${method} ${path}`;
    const resource = SAMPLES[name]?.permission ?? "";
    const row = TABLE.find(([resources]) => resources.includes(resource));
    const action = method === "GET" || SAMPLES[name]?.isReading ? "read" : "write";
    const may = String(row?.[ROLES.indexOf(role) + 1]).includes(action.charAt(0));
    const url = `/api/v1${path.replace(/:\w+/g, "nothing")}`;
    const answer = await app.inject({ method: method as "GET", url, headers });
    const refusal = `${action}_action_not_allowed_for_${resource}`;
    expect(answer.statusCode === 403 && answer.json().code === refusal, name).toBe(!may);
  }
});

test("a person without a role that exists, or of another organization, reaches no route", async () => {
  const stranger = headersOf((await makeTestPerson(platform, id, { isStranger: true })).credential);
  const powerless = headersOf((await makeTestPerson(platform, id, { permissions: {} })).credential);
  for (const { method, path } of routes) {
    const request = { method: method as "GET", url: `/api/v1${path.replace(/:\w+/g, "nothing")}` };
    const found = (await app.inject({ ...request, headers: stranger })).json();
    expect(found, path).toMatchObject({ status: 403, code: "organization_not_reached" });
    expect((await app.inject({ ...request, headers: powerless })).statusCode, path).toBe(403);
  }
});

test("a change by a person from another site is refused on every route", async () => {
  const { "sec-fetch-site": _, ...headers } = headersOf((await makeTestPerson(platform, id)).credential);
  for (const { method, path } of routes) {
    const url = `/api/v1${path.replace(/:\w+/g, "nothing")}`;
    for (const site of [undefined, "cross-site", "same-site"]) {
      if (method === "GET" && site === undefined) continue;
      const from = site ? { "sec-fetch-site": site } : {};
      const answer = await app.inject({ method: method as "GET", url, headers: { ...headers, ...from } });
      expect(answer.json(), `${method} ${path} ${site}`).toMatchObject({
        status: 403,
        code: "request_of_another_site",
      });
    }
  }
});
