import { expect, it, test } from "vitest";
import { makeTestKey, makeUnknownKey } from "../testing/make-test-key.ts";
import { type Answer, startTallystick } from "../testing/start-tallystick.ts";

const { platform, app, call, organizations } = await startTallystick();
const [{ id: organizationId, key } = { id: "", key: "" }] = organizations;
const authorization = `Bearer ${key}`;

const { body: made } = await call("POST", "/billable_metrics", {
  billable_metric: { name: "Calls", code: "calls", aggregation_type: "count_agg" },
});
const METRIC = made.billable_metric.svc_id;
const PLAN = {
  name: "P",
  code: "p",
  interval: "monthly",
  amount_cents: 0,
  amount_currency: "EUR",
  pay_in_advance: false,
};
const charge = (members: object) => ({ billable_metric_id: METRIC, charge_model: "standard", ...members });
const free = charge({ properties: { amount: "1" } });

const errorsOf = ({ status, body, help }: Answer) => ({ status, errors: help.errors, details: body.error_details });

test("a misspelled member of a charge is refused with its path and the nearest name", async () => {
  const plan = { ...PLAN, charges: [free, charge({ propertees: { amount: "1" } })] };
  const answer = await call("POST", "/plans", { plan });
  const message = 'This operation does not know the member. Did you mean "properties"?';
  expect(errorsOf(answer)).toEqual({
    status: 422,
    errors: [{ path: "plan.charges[1].propertees", code: "unknown_member", message }],
    details: { propertees: ["unknown_member"] },
  });
  expect(answer.help).toMatchObject({
    message: `plan.charges[1].propertees: ${message}`,
    request_id: answer.headers["x-request-id"],
    docs_url: expect.stringMatching(/errors\.md#unknown_member$/),
  });
  expect((await call("GET", "/plans/p")).status).toBe(404);
});

test("unknown members are refused at every level, with the other faults", async () => {
  const customer = {
    external_id: 7,
    color: "blue",
    billing_configuration: { grace: 3 },
    metadata: [{ key: "k", value: "v", display_in_invoice: true, size: 1 }],
  };
  const { help } = await call("POST", "/customers", { customer, extra: 1 });
  expect(help.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort()).toEqual([
    "customer.billing_configuration.grace unknown_member",
    "customer.color unknown_member",
    "customer.external_id value_is_invalid",
    "customer.metadata[0].size unknown_member",
    "extra unknown_member",
  ]);
});

test("a missing envelope is 400, whatever else is there", async () => {
  const { status, body, help } = await call("POST", "/customers", { custmer: { external_id: "x" } });
  expect([status, body.error]).toEqual([400, "BadRequest: param is missing or the value is empty: customer"]);
  expect(help.message).toBe('The body lacks the member "customer". Send {"customer": …}.');
});

test("an unknown query parameter is refused, and the known ones are named", async () => {
  await call("POST", "/customers", { customer: { external_id: "acme" } });
  const { status, help } = await call("GET", "/invoices?customer=acme");
  expect([status, help.errors[0].path, help.errors[0].code]).toEqual([422, "customer", "unknown_member"]);
  expect(help.message).toContain("external_customer_id");
  const none = await call("GET", "/customers/acme?fields=all");
  expect(none.help.message).toBe("fields: This operation takes no query parameters.");
});

test("what was read can be sent back", async () => {
  await call("POST", "/plans", { plan: { ...PLAN, code: "back", charges: [free] } });
  const { body } = await call("GET", "/plans/back");
  const sent = { ...body.plan, charges: body.plan.charges.map((one: object) => ({ ...one, ...free })) };
  expect((await call("PUT", "/plans/back", { plan: sent })).body).toMatchObject({ plan: { code: "back" } });
  const { body: shown } = await call("POST", "/customers", { customer: { external_id: "back" } });
  const again = await call("POST", "/customers", { customer: shown.customer });
  expect(again.body).toMatchObject({ customer: { external_id: "back" } });
  const { body: own } = await call("GET", "/organizations");
  const changed = await call("PUT", "/organizations", { organization: { ...own.organization, webhook_url: null } });
  expect(changed.help.errors).toBeUndefined();
});

test("members that were removed in 2024 are ignored, and named in a header", async () => {
  const customer = { external_id: "old", billing_configuration: { vat_rate: 20 } };
  const { status, headers } = await call("POST", "/customers", { customer });
  expect([status, headers.deprecation]).toEqual([200, '@1720483200;members="customer.billing_configuration.vat_rate"']);
});

test("an event with an unknown member is refused, alone and by its place in a batch", async () => {
  const event = { transaction_id: "t", external_subscription_id: "s", code: "calls", propertys: {} };
  const one = await call("POST", "/events", { event });
  expect(errorsOf(one)).toMatchObject({
    status: 422,
    errors: [{ path: "event.propertys", message: expect.stringContaining('"properties"') }],
    details: { propertys: ["unknown_member"] },
  });
  const { propertys: _, ...good } = event;
  const many = await call("POST", "/events/batch", { events: [good, event] });
  expect(errorsOf(many)).toMatchObject({
    status: 422,
    errors: [{ path: "events[1].propertys" }],
    details: { 1: { propertys: ["unknown_member"] } },
  });
  const old = await call("POST", "/events", { event: { ...good, external_customer_id: "acme" } });
  expect([old.status, old.headers.deprecation]).toEqual([200, '@1720483200;members="event.external_customer_id"']);
});

test("an organization can have unknown members ignored and named in a header", async () => {
  await call("PUT", "/organizations", { organization: { ignore_unknown_members: true } });
  // The setting of a known key is cached for seconds.
  const { token } = await makeTestKey(platform, organizationId);
  const customer = { external_id: "lenient", color: "blue", 'si"ze\u00e9': 1 };
  const { status, headers, text } = await call("POST", "/customers?x=1", { customer }, { key: token });
  expect([status, headers.warning]).toEqual([
    200,
    '299 - "unknown and ignored: customer.color, customer.si%22ze%C3%A9, x"',
  ]);
  expect(text).not.toContain("blue");
  await call("PUT", "/organizations", { organization: { ignore_unknown_members: false } });
});

test("two wrong charges of three are two errors with their paths", async () => {
  const wrong = charge({ properties: { amount: 1 } });
  const { body, help } = await call("POST", "/plans", { plan: { ...PLAN, charges: [wrong, free, wrong] } });
  expect(help.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
    ["plan.charges[0].properties", "invalid_amount"],
    ["plan.charges[2].properties", "invalid_amount"],
  ]);
  expect(body.error_details).toEqual({ properties: ["invalid_amount"] });
  expect(help.message).toMatch(/^2 members are wrong; "errors" lists them\. plan\.charges\[0\]\.properties: /);
});

test("a wrong value is answered with the type, the allowed values or the range", async () => {
  const first = async (members: object) =>
    (await call("POST", "/plans", { plan: { ...PLAN, ...members } })).help.errors[0];
  expect(await first({ interval: "daily" })).toMatchObject({
    path: "plan.interval",
    message: expect.stringMatching(/^Send one of: .*monthly/),
    allowed: expect.arrayContaining(["monthly", "yearly"]),
  });
  expect(await first({ amount_cents: -1 })).toMatchObject({
    message: "Send a number from 0 up to 9007199254740991.",
    limit: { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  });
  expect(await first({ pay_in_advance: "yes" })).toMatchObject({
    message: "The value is not valid. Send true or false.",
  });
  expect(await first({ name: "x".repeat(256) })).toMatchObject({ limit: { maxLength: 255 } });
});

it.each([
  ["{", 'line 1, column 2: a closing "}" was expected'],
  ['{"tax": {\n  "name": "VAT"\n  "code": "vat"}}', 'line 3, column 3: a comma "," was expected'],
  ['{"tax": {"rate": 020}}', "line 1, column"],
  ["{'tax': {}}", "line 1, column 2: this is not a JSON value; names and texts need double quotes"],
])("the body %j is answered with the place where it is not JSON", async (raw, place) => {
  const { status, help } = await call("POST", "/taxes", undefined, { raw });
  expect(status).toBe(400);
  expect(help.message).toContain(place);
});

test("a wrong method is 405 with the methods of the path; a wrong path is 404", async () => {
  const send = (method: "PATCH" | "DELETE", url: string) => app.inject({ method, url, headers: { authorization } });
  const patched = await send("PATCH", "/api/v1/taxes/vat");
  expect([patched.statusCode, patched.headers.allow, patched.json().code]).toEqual([
    405,
    "DELETE, GET, HEAD, PUT",
    "method_not_allowed",
  ]);
  expect((await send("DELETE", "/api/v1/taxes")).headers.allow).toBe("GET, HEAD, POST");
  expect((await send("PATCH", "/api/v1/nothing")).statusCode).toBe(404);
  expect((await app.inject({ method: "PATCH", url: "/api/v1/taxes" })).statusCode).toBe(401);
});

test("a trailing slash is the same resource", async () => {
  await call("POST", "/taxes/", { tax: { name: "VAT", code: "slash", rate: "20" } });
  expect((await call("GET", "/taxes/slash/")).body.tax.code).toBe("slash");
});

test("401 says what is wrong with the key", async () => {
  const { token } = await makeTestKey(platform, organizationId, { isRevoked: true });
  const { token: expired } = await makeTestKey(platform, organizationId, { expiresAt: platform.clock.now() });
  const codeOf = async (header: string | undefined) =>
    (await app.inject({ url: "/api/v1/taxes", headers: header === undefined ? {} : { authorization: header } })).json()
      .code;
  expect(await codeOf(undefined)).toBe("api_key_missing");
  expect(await codeOf("Bearer")).toBe("api_key_malformed");
  expect(await codeOf(`Bearer ${token.slice(0, -1)}`)).toBe("api_key_malformed");
  expect(await codeOf(`Bearer ${await makeUnknownKey(platform, organizationId)}`)).toBe("api_key_unknown");
  expect(await codeOf(`Bearer ${expired}`)).toBe("api_key_ended");
  expect(await codeOf(`Bearer ${token}`)).toBe("api_key_ended");
});
