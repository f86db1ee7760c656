/** The trail through the API: what an activity says, and what leaves none. */
import { describe, expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { verify } from "../../../verify/index.ts";
import { eraseActivities } from "./index.ts";

let now = Temporal.Instant.from("2026-03-01T12:00:00Z");
const { platform, call, organizations, drain } = await startTallystick({ clock: { now: () => now } });
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;

let marks = 0;
const mark = () => `mark ${marks++}`;
const list = async (query: Record<string, string> = {}): Promise<Answer["body"]> => {
  const { status, body, text } = await call("GET", `/activities?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return body;
};
const makeTax = async (code = mark()) =>
  (await call("POST", "/taxes", { tax: { name: "VAT", code, rate: "20" } })).body.tax;
const activitiesOf = async ({ svc_id }: { svc_id: string }) => (await list({ object_id: svc_id })).activities;

describe("an activity", () => {
  test("says who changed what, when and from where, and which members changed", async () => {
    const tax = await makeTax();
    now = now.add({ minutes: 1 });
    const headers = { "x-request-id": "a-request" };
    const change = { tax: { name: "VAT", rate: "19.5" } };
    await call("PUT", `/taxes/${encodeURIComponent(tax.code)}`, change, { headers });
    const [changed, made, ...others] = await activitiesOf(tax);
    expect(others).toEqual([]);
    expect(changed).toEqual({
      svc_id: expect.any(String),
      created_at: "2026-03-01T12:01:00Z",
      actor: { kind: "key", id: mine.key.slice(4, 12) },
      address: "127.0.0.1",
      operation: "updateTax",
      object: { type: "tax", svc_id: tax.svc_id },
      request_id: "a-request",
      difference: { rate: [20, 19.5] },
      is_erased: false,
    });
    expect(made).toMatchObject({ operation: "createTax", difference: { name: [null, "VAT"], code: [null, tax.code] } });
    expect((await call("GET", `/activities/${changed.svc_id}`)).body).toEqual({ activity: changed });
  });

  test("has the difference of every kind of catalog object, of customers and of settings", async () => {
    const code = mark();
    const metric = { name: "Calls", code, aggregation_type: "count_agg" };
    const plan = {
      name: "Plan",
      code,
      interval: "monthly",
      amount_cents: 100,
      amount_currency: "EUR",
      pay_in_advance: false,
    };
    const coupon = {
      name: "C",
      code,
      coupon_type: "percentage",
      percentage_rate: "10",
      frequency: "once",
      expiration: "no_expiration",
    };
    const addOn = { name: "Setup", code, amount_cents: 100, amount_currency: "EUR" };
    for (const [path, name, body] of [
      ["billable_metrics", "billable_metric", metric],
      ["plans", "plan", plan],
      ["coupons", "coupon", coupon],
      ["add_ons", "add_on", addOn],
    ] as const) {
      const made = await call("POST", `/${path}`, { [name]: body });
      expect(made.status, made.text).toBe(200);
      const { svc_id } = made.body[name];
      const changed = await call("PUT", `/${path}/${encodeURIComponent(code)}`, { [name]: { ...body, name: "Other" } });
      expect(changed.status, changed.text).toBe(200);
      await call("DELETE", `/${path}/${encodeURIComponent(code)}`);
      const [deleted, renamed] = await activitiesOf({ svc_id });
      expect(renamed.difference, name).toMatchObject({ name: [body.name, "Other"] });
      expect(deleted.difference, name).toMatchObject({ name: ["Other", null], code: [code, null] });
    }
    for (const email of ["a@example.com", "b@example.com"])
      await call("POST", "/customers", { customer: { external_id: code, email } });
    const { svc_id } = (await call("GET", `/customers/${encodeURIComponent(code)}`)).body.customer;
    expect((await activitiesOf({ svc_id }))[0].difference).toEqual({ email: ["a@example.com", "b@example.com"] });
    await call("PUT", "/organizations", { organization: { legal_name: code } });
    const [settings] = (await list({ operation: "updateOrganization" })).activities;
    expect(settings.difference).toEqual({ legal_name: [null, code] });
  });

  test("has no difference if nothing changed, or if the route keeps none", async () => {
    const tax = await makeTax();
    await call("PUT", `/taxes/${encodeURIComponent(tax.code)}`, { tax: { name: "VAT" } });
    expect((await activitiesOf(tax))[0]).toMatchObject({ operation: "updateTax", difference: null });
    const wallet = { external_customer_id: mark(), rate_amount: "1" };
    await call("POST", "/customers", { customer: { external_id: wallet.external_customer_id, currency: "EUR" } });
    await call("POST", "/wallets", { wallet });
    expect((await list({ operation: "createWallet" })).activities[0].difference).toBeNull();
  });

  test("keeps whole numbers of any size, and no member of many thousand characters", async () => {
    const code = mark();
    const amount_cents = "9007199254740993123".slice(0, 18);
    const raw = `{"add_on":{"name":"Big","code":"${code}","amount_cents":${amount_cents},"amount_currency":"EUR"}}`;
    const made = await call("POST", "/add_ons", undefined, { raw });
    const [activity] = (await list({ operation: "createAddOn" })).activities;
    if (made.status === 200) expect(activity.difference.amount_cents).toEqual([null, amount_cents]);
    const filters = [
      { key: "k", values: Array.from({ length: 900 }, (_, index) => `value ${index} `.padEnd(40, "x")) },
    ];
    const metric = { name: "M", code, aggregation_type: "count_agg", filters };
    const { billable_metric } = (await call("POST", "/billable_metrics", { billable_metric: metric })).body;
    expect((await activitiesOf(billable_metric))[0].difference.filters).toEqual([
      null,
      expect.stringMatching(/^not kept: \d+ characters$/),
    ]);
  });
});

describe("no activity is left by", () => {
  const countOf = async () => (await list()).meta.total_count;

  test("a refused change, a read, and events", async () => {
    const before = await countOf();
    await call("POST", "/taxes", { tax: { name: "" } });
    await call("DELETE", "/taxes/unknown");
    await call("POST", "/taxes", { tax: { name: "" } }, { headers: { "idempotency-key": mark() } });
    await call("GET", "/taxes");
    const event = { transaction_id: mark(), external_subscription_id: "s", code: "c" };
    expect((await call("POST", "/events", { event })).status).toBe(200);
    expect(await countOf()).toBe(before);
  });

  test("a repeated answer", async () => {
    const tax = { name: "VAT", code: mark(), rate: "20" };
    const headers = { "idempotency-key": mark() };
    const before = await countOf();
    const [first, second] = [
      await call("POST", "/taxes", { tax }, { headers }),
      await call("POST", "/taxes", { tax }, { headers }),
    ];
    expect(second.body).toEqual(first.body);
    expect(await countOf()).toBe(before + 1);
  });

  test("a change that fails before its commit", async () => {
    const url = platform.config.DATABASE_URL;
    const before = await countOf();
    await runOn(url, "alter table taxes add constraint broken check (name <> 'broken') not valid");
    expect((await call("POST", "/taxes", { tax: { name: "broken", code: mark(), rate: "1" } })).status).toBe(500);
    await runOn(url, "alter table taxes drop constraint broken");
    expect(await countOf()).toBe(before);
  });
});

describe("the list", () => {
  test("takes actor, object, operation and time, and goes on by cursor", async () => {
    now = now.add({ hours: 24 });
    const { token } = await makeTestKey(platform, mine.id, {});
    const codes = [mark(), mark(), mark()];
    for (const code of codes) {
      now = now.add({ seconds: 1 });
      await call("POST", "/taxes", { tax: { name: "T", code, rate: "1" } }, { key: token });
    }
    const filter = { actor_id: token.slice(4, 12), actor_kind: "key", operation: "createTax", object_type: "tax" };
    const first = await list({ ...filter, limit: "2", created_from: "2026-03-02" });
    const rest = await list({ ...filter, limit: "2", created_from: "2026-03-02", cursor: first.meta.next_cursor });
    const shown = [...first.activities, ...rest.activities];
    expect(shown.map((activity) => activity.difference.code[1])).toEqual(codes.toReversed());
    expect((await list({ ...filter, created_to: "2026-03-01" })).activities).toEqual([]);
  });

  test("shows nothing of another organization, and needs the permission", async () => {
    const tax = await makeTax();
    const [activity] = await activitiesOf(tax);
    const other = { key: theirs.key };
    expect((await call("GET", `/activities/${activity.svc_id}`, undefined, other)).status).toBe(404);
    expect((await call("GET", `/activities?object_id=${tax.svc_id}`, undefined, other)).body.activities).toEqual([]);
    const { token } = await makeTestKey(platform, mine.id, { permissions: { tax: ["read", "write"] } });
    expect((await call("GET", "/activities", undefined, { key: token })).status).toBe(403);
  });
});

test("an erasure drops the differences of one object, and says so", async () => {
  const [external_id, otherId] = [mark(), mark()];
  for (const email of ["personal@example.com", "b@example.com"])
    for (const id of [external_id, otherId]) await call("POST", "/customers", { customer: { external_id: id, email } });
  const { svc_id } = (await call("GET", `/customers/${encodeURIComponent(external_id)}`)).body.customer;
  await drain();
  const by = { at: now, actor: { kind: "command", id: "trail erase" } } as const;
  const erased = () => eraseActivities(platform, mine.id, { object: { type: "customer", id: svc_id }, ...by });
  expect([await erased(), await erased()]).toEqual([2, 0]);
  expect(await activitiesOf({ svc_id })).toMatchObject([
    { operation: "eraseActivities", actor: { kind: "command", id: "trail erase" }, address: null },
    { operation: "upsertCustomer", difference: null, is_erased: true },
    { operation: "upsertCustomer", difference: null, is_erased: true },
  ]);
  const stored = await runOn<{ text: string }>(
    platform.config.DATABASE_URL,
    "select activities::text as text from activities where object_id = $1",
    [svc_id],
  );
  expect(stored.map(({ text }) => text).join()).not.toContain("personal@");
  await drain();
  const only = ["activities-are-as-recorded", "activities-are-chained"];
  expect((await verify(platform.config.DATABASE_URL, { only, now })).map(({ broken }) => broken)).toEqual([0, 0]);
});
