/** Mistakes that people make on their first day: each answer has a sentence that says what is wrong and what to do. */
import { beforeAll, expect, it, test } from "vitest";
import { makeTestKey, makeUnknownKey } from "../testing/make-test-key.ts";
import { aCreditNote, anEvent, givenPaidInvoice } from "../testing/sample-records.ts";
import { type Answer, startTallystick } from "../testing/start-tallystick.ts";

const { platform, app, call, organizations } = await startTallystick();
const [{ id: organizationId, key } = { id: "", key: "" }] = organizations;

const CHARGE = { billable_metric_code: "calls", charge_model: "standard", properties: { amount: "0.10" } };
const PLAN = {
  name: "Start",
  code: "start",
  interval: "monthly",
  amount_cents: 1000,
  amount_currency: "EUR",
  pay_in_advance: false,
  charges: [CHARGE],
};
const metric = (members: object) => ({ billable_metric: { name: "Calls", aggregation_type: "count_agg", ...members } });

beforeAll(async () => {
  const bytes = { code: "bytes", aggregation_type: "sum_agg", field_name: "bytes" };
  for (const members of [{ code: "calls" }, bytes]) await call("POST", "/billable_metrics", metric(members));
  const charges = [CHARGE, { ...CHARGE, billable_metric_code: "bytes" }];
  await call("POST", "/plans", { plan: { ...PLAN, charges } });
  const subscription = { external_customer_id: "acme", external_id: "acme-1", plan_code: "start" };
  const { status, text } = await call("POST", "/subscriptions", { subscription });
  if (status !== 200) throw new Error(text);
});

const makePlan = (members: object): Promise<Answer> =>
  call("POST", "/plans", { plan: { ...PLAN, code: "next", ...members } });

/** Nothing of a refused request is kept, and every refusal has the same form. */
function expectSentence({ status, body, help, headers }: Answer, wanted: number, sentence: RegExp | string): void {
  expect([status, body.status]).toEqual([wanted, wanted]);
  expect(help.message).toMatch(sentence);
  expect(help.message).toMatch(/[.?]$/);
  expect(help.request_id).toBe(headers["x-request-id"]);
  expect(help.docs_url).toMatch(/errors\.md#\w+$/);
}

test("no key, no Bearer, a typo, an unknown key and a revoked key: 401 says which, and where keys come from", async () => {
  const sending = (authorization: string | null) =>
    call("GET", "/plans", undefined, { key: null, headers: authorization === null ? {} : { authorization } });
  const { token: revoked } = await makeTestKey(platform, organizationId, { isRevoked: true });
  const unknown = await makeUnknownKey(platform, organizationId);
  expectSentence(await sending(null), 401, /no API key.*npm run keys -- create/);
  expectSentence(await sending(key), 401, /no second word.*Authorization: Bearer tsk_…/);
  expectSentence(await sending(`Bearer ${key.slice(0, -1)}x`), 401, /misspelled.*Copy the whole key/);
  expectSentence(await sending(`Bearer ${unknown}`), 401, /does not know the API key.*npm run keys -- create/);
  expectSentence(await sending(`Bearer ${revoked}`), 401, /expired or was revoked.*npm run keys -- create/);
});

test("a misspelled member of a charge: 422 with its path and the nearest name", async () => {
  const { properties, ...charge } = CHARGE;
  const answer = await makePlan({ charges: [{ ...charge, propertees: properties }] });
  expectSentence(answer, 422, /^plan\.charges\[0\]\.propertees: .*Did you mean "properties"\?/);
});

test("an unknown query parameter: 422 with the known ones", async () => {
  expectSentence(
    await call("GET", "/invoices?customer_id=acme"),
    422,
    /^customer_id: .*It takes: .*external_customer_id/,
  );
});

it.each([
  [{ amount_cents: "10" }, /^plan\.amount_cents: .*a whole number/],
  [{ pay_in_advance: "yes" }, /^plan\.pay_in_advance: .*true or false/],
  [{ charges: {} }, /^plan\.charges: .*a list/],
  [{ interval: "daily" }, /^plan\.interval: .*Send one of: .*monthly/],
  [{ charges: [{ ...CHARGE, charge_model: "flat" }] }, /^plan\.charges\[0\]\.charge_model: .*Send one of: .*standard/],
])("a wrong type or enum value, %j: 422 with the type or the allowed values", async (members, sentence) => {
  expectSentence(await makePlan(members), 422, sentence);
});

it.each([[-1], [9007199254740992]])(
  "the amount %d is too small or too large: 422 with the range",
  async (amount_cents) => {
    expectSentence(await makePlan({ amount_cents }), 422, /^plan\.amount_cents: Send a number from 0 up to \d+/);
  },
);

test("three charges, two wrong: an entry for each, with its whole path", async () => {
  const wrong = { ...CHARGE, properties: { amount: -1 } };
  const answer = await makePlan({
    charges: [wrong, CHARGE, { ...CHARGE, charge_model: "package", properties: { amount: "1" } }],
  });
  expectSentence(answer, 422, /members are wrong; "errors" lists them/);
  expect(answer.help.errors.map(({ path }: { path: string }) => path.replace(/\.properties.*/, ".properties"))).toEqual(
    expect.arrayContaining(["plan.charges[0].properties", "plan.charges[2].properties"]),
  );
  // Wallets have this code too, with another meaning.
  expect(answer.help.errors[0]).toMatchObject({
    code: "invalid_amount",
    message: expect.stringContaining("`properties`"),
  });
});

it.each<[string, () => Promise<Answer>, string]>([
  [
    "plan of a subscription",
    () =>
      call("POST", "/subscriptions", {
        subscription: { external_customer_id: "acme", external_id: "s", plan_code: "strat" },
      }),
    '"strat"',
  ],
  ["taxes of a plan", () => makePlan({ tax_codes: ["vat", "gst"] }), '"vat", "gst"'],
  [
    "tax of a customer",
    () => call("POST", "/customers", { customer: { external_id: "a", tax_codes: ["vat"] } }),
    '"vat"',
  ],
  ["metric by code", () => makePlan({ charges: [CHARGE, { ...CHARGE, billable_metric_code: "cals" }] }), '"cals"'],
  [
    "metric by id",
    () => makePlan({ charges: [{ ...CHARGE, billable_metric_code: undefined, billable_metric_id: "17" }] }),
    '"17"',
  ],
  [
    "plans of a coupon",
    () => call("POST", "/coupons", { coupon: { ...COUPON, applies_to: { plan_codes: ["start", "strat"] } } }),
    '"strat"',
  ],
  [
    "metrics of a coupon",
    () => call("POST", "/coupons", { coupon: { ...COUPON, applies_to: { billable_metric_codes: ["cals", "calls"] } } }),
    '"cals"',
  ],
  [
    "add-ons of an invoice",
    () =>
      call("POST", "/invoices", {
        invoice: { external_customer_id: "acme", currency: "EUR", fees: [{ add_on_code: "setup" }] },
      }),
    '"setup"',
  ],
  [
    "customer and coupon",
    () =>
      call("POST", "/applied_coupons", { applied_coupon: { external_customer_id: "acme", coupon_code: "welcome" } }),
    '"welcome"',
  ],
  [
    "customer of an invoice",
    () => call("POST", "/invoices", { invoice: { external_customer_id: "acmee", currency: "EUR", fees: [] } }),
    '"acmee"',
  ],
  [
    "subscription of a preview",
    () => call("POST", "/invoices/preview", { invoice: { external_subscription_id: "acme-2" } }),
    '"acme-2"',
  ],
])("an unknown %s: 404 names exactly what was not found", async (_, send, names) => {
  expectSentence(await send(), 404, new RegExp(`\\. Not found: ${names}\\.$`));
});

const COUPON = {
  name: "Welcome",
  code: "welcome",
  coupon_type: "fixed_amount",
  amount_cents: 100,
  amount_currency: "EUR",
  frequency: "once",
  expiration: "no_expiration",
};

test("invalid JSON: 400 with line, column and what was expected", async () => {
  const answer = await call("POST", "/plans", undefined, {
    raw: '{"plan": {\n  "name": "Start",\n  "code": start\n}}',
  });
  expectSentence(answer, 400, /line 3, column 11: /);
});

test("a body of 11 MB: 413 with the limit and the batch endpoint", async () => {
  const answer = await call("POST", "/events/batch", undefined, { raw: `{"events":["${"x".repeat(11 * 2 ** 20)}"]}` });
  expectSentence(answer, 413, /1 MB.*\/events\/batch.*100 events/);
});

test("a wrong verb: 405 with Allow and the verbs in words; a trailing slash: the resource", async () => {
  const answer = await app.inject({
    method: "PATCH",
    url: "/api/v1/plans/start",
    headers: { authorization: `Bearer ${key}` },
  });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "DELETE, GET, HEAD, PUT"]);
  expect(answer.json().message).toMatch(/does not have the method PATCH\. It has: DELETE, GET, HEAD, PUT\./);
  expect((await call("GET", "/plans/start/")).body).toEqual((await call("GET", "/plans/start")).body);
});

test("an ISO timestamp is taken; milliseconds: 422 says that they look like milliseconds", async () => {
  const { event } = anEvent("time");
  const sending = (timestamp: unknown) => call("POST", "/events", { event: { ...event, timestamp } });
  expect((await sending("2026-01-31T10:00:00+01:00")).body.event.timestamp).toBe("2026-01-31T09:00:00.000Z");
  for (const timestamp of [1_769_850_000_000, "1769850000000"])
    expectSentence(await sending(timestamp), 422, /^event\.timestamp: .*looks like milliseconds.*Divide it by 1000/);
  expectSentence(
    await sending("31.01.2026"),
    422,
    /^event\.timestamp: .*Send `1769850000\.5` or `2026-01-31T09:00:00\.5Z`/,
  );
});

test("an event with an unknown metric, an unknown subscription or without its property: its status says why it is not billed", async () => {
  const good = { external_subscription_id: "acme-1", code: "bytes", properties: { bytes: "12" } };
  const statusOf = async (transaction_id: string, members: object) => {
    const sent = await call("POST", "/events", { event: { ...good, transaction_id, ...members } });
    expect([sent.status, sent.body.event.outcome]).toEqual([200, "created"]);
    const { event } = (await call("GET", `/events/${transaction_id}`)).body;
    return [event.status, event.reason];
  };
  expect(await statusOf("fine", {})).toEqual(["open", null]);
  expect(await statusOf("metric", { code: "byts" })).toEqual(["not_billed", "unknown_code"]);
  expect(await statusOf("subscription", { external_subscription_id: "acme" })).toEqual([
    "not_billed",
    "no_subscription",
  ]);
  expect(await statusOf("property", { properties: { byte: "12" } })).toEqual(["not_billed", "invalid_property"]);
  const { events } = (await call("GET", "/events?status=not_billed&external_subscription_id=acme-1")).body;
  expect(events.map(({ transaction_id }: { transaction_id: string }) => transaction_id).sort()).toEqual([
    "metric",
    "property",
  ]);
});

test("an event sent twice: the second answer says duplicate", async () => {
  const outcomeOf = async () => (await call("POST", "/events", anEvent("twice"))).body.event.outcome;
  expect([await outcomeOf(), await outcomeOf()]).toEqual(["created", "duplicate"]);
});

test("a credit note whose total is off: 422 with the expected figure", async () => {
  const { credit_note } = aCreditNote("off", await givenPaidInvoice(call, "off"));
  const items = credit_note.items.map((item) => ({ ...item, amount_cents: 400 }));
  const answer = await call("POST", "/credit_notes", {
    credit_note: { ...credit_note, items, refund_amount_cents: 2 },
  });
  expectSentence(answer, 422, /together are 402 cents, but .* are 400 cents\. Send .* add up to 400\./);
  expect(answer.body.error_details).toEqual({ base: ["does_not_match_item_amounts"] });
});

it.each(["http://example.com/hook", "https://127.0.0.1/hook", "https://localhost/hook"])(
  "the webhook URL %s is refused at once, with what to use instead",
  async (webhook_url) => {
    const answer = await call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url } });
    expectSentence(answer, 422, /^webhook_endpoint\.webhook_url: .*Use /);
  },
);

it.each([
  { interval: "yearly" },
  { pay_in_advance: true },
  { amount_currency: "USD" },
  { trial_period: 3 },
  { code: "other" },
])("the change %j of a plan in use: 422 instead of silence, and how to do it", async (members) => {
  const before = (await call("GET", "/plans/start")).body;
  const answer = await call("PUT", "/plans/start", { plan: members });
  expectSentence(answer, 422, /^plan\.\w+: .*create a new plan and change the subscriptions to that plan/);
  expect(answer.help.errors).toMatchObject([
    { path: `plan.${Object.keys(members)[0]}`, code: "not_changeable_in_use" },
  ]);
  expect((await call("GET", "/plans/start")).body).toEqual(before);
});
