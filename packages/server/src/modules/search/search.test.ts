import { expect, test } from "vitest";
import { makeTestKey } from "../../testing/make-test-key.ts";
import { makeTestPerson } from "../../testing/make-test-person.ts";
import { type Answer, startTallystick } from "../../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick();
const [{ id: organizationId } = { id: "" }, theirs = { key: "" }] = organizations;

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const search = async (term: string, key?: string) =>
  (await must(call("GET", `/search?${new URLSearchParams({ term })}`, undefined, key ? { key } : {}))).results;

const metric = { name: "Ardent calls", code: "ardent_calls", aggregation_type: "count_agg" };
await must(call("POST", "/billable_metrics", { billable_metric: metric }));
const terms = { interval: "monthly", amount_cents: 1000, amount_currency: "EUR", pay_in_advance: false };
await must(call("POST", "/plans", { plan: { name: "Ardent plan", code: "ardent_plan", charges: [], ...terms } }));
const coupon = { name: "Ardent coupon", code: "ardent_coupon", coupon_type: "percentage", percentage_rate: "10" };
await must(call("POST", "/coupons", { coupon: { ...coupon, frequency: "once", expiration: "no_expiration" } }));
const addOn = { name: "Ardent set-up", code: "ardent_setup", amount_cents: 500, amount_currency: "EUR" };
await must(call("POST", "/add_ons", { add_on: addOn }));
const customer = { external_id: "customer 1", name: "Ardent Ltd", email: "billing@ardent.example" };
await must(call("POST", "/customers", { customer }));
const subscription = { external_customer_id: "customer 1", plan_code: "ardent_plan", external_id: "sub 1" };
await must(call("POST", "/subscriptions", { subscription: { ...subscription, name: "Ardent workspace" } }));
const bill = { external_customer_id: "customer 1", fees: [{ add_on_code: "ardent_setup" }] };
const { invoice } = await must(call("POST", "/invoices", { invoice: bill }));
await must(call("PUT", `/invoices/${invoice.svc_id}`, { invoice: { payment_status: "succeeded" } }));
const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 500 }];
const note = { invoice_id: invoice.svc_id, reason: "other", credit_amount_cents: 500, refund_amount_cents: 0, items };
const { credit_note } = await must(call("POST", "/credit_notes", { credit_note: note }));

const coded = (title: string, code: string) => [
  { svc_id: expect.any(String), external_id: null, code, title, subtitle: code },
];

test("a term finds records of every kind, in any case", async () => {
  expect(await search("aRDENT")).toEqual({
    customers: [
      {
        ...{ svc_id: expect.any(String), external_id: "customer 1", code: null },
        ...{ title: "Ardent Ltd", subtitle: "billing@ardent.example" },
      },
    ],
    subscriptions: [
      {
        ...{ svc_id: expect.any(String), external_id: "sub 1", code: null },
        ...{ title: "Ardent workspace", subtitle: "customer 1, ardent_plan, active" },
      },
    ],
    plans: coded("Ardent plan", "ardent_plan"),
    billable_metrics: coded("Ardent calls", "ardent_calls"),
    invoices: [
      { svc_id: invoice.svc_id, external_id: null, code: null, title: invoice.number, subtitle: "Ardent Ltd" },
    ],
    credit_notes: [
      {
        svc_id: credit_note.svc_id,
        external_id: null,
        code: null,
        title: credit_note.number,
        subtitle: invoice.number,
      },
    ],
    coupons: coded("Ardent coupon", "ardent_coupon"),
    add_ons: coded("Ardent set-up", "ardent_setup"),
  });
});

test("a number or an id finds its invoice", async () => {
  for (const term of [invoice.number.slice(3).toLowerCase(), invoice.svc_id])
    expect((await search(term)).invoices).toMatchObject([{ svc_id: invoice.svc_id }]);
});

test("at most five of a kind are found, the newest first", async () => {
  for (let number = 1; number <= 7; number++)
    await must(call("POST", "/customers", { customer: { external_id: `many ${number}` } }));
  const { customers } = await search("many");
  expect(customers.map(({ external_id }: { external_id: string }) => external_id)).toEqual(
    [7, 6, 5, 4, 3].map((number) => `many ${number}`),
  );
});

test("a term without a match finds nothing, and its wildcards count as themselves", async () => {
  for (const term of ["nothing like it", "%", "_____"])
    expect(Object.values(await search(term)).flat(), term).toEqual([]);
});

test("kinds that a key may not read are missing", async () => {
  const { token } = await makeTestKey(platform, organizationId, {
    permissions: { plan: ["read"], customer: ["write"] },
  });
  expect(await search("ardent", token)).toEqual({ plans: coded("Ardent plan", "ardent_plan") });
  const { token: powerless } = await makeTestKey(platform, organizationId, { permissions: { tax: ["read"] } });
  const refused = await call("GET", "/search?term=ardent", undefined, { key: powerless });
  expect([refused.status, refused.body.code]).toEqual([403, "read_action_not_allowed_for_customer"]);
});

test("a support member finds every kind", async () => {
  const key = (await makeTestPerson(platform, organizationId, { role: "support" })).credential;
  expect(Object.keys(await search("ardent", key))).toHaveLength(8);
});

test("another organization finds none of them", async () => {
  expect(Object.values(await search("ardent", theirs.key)).flat()).toEqual([]);
});

test.each(["", "term=", "term=%20", `term=${"x".repeat(101)}`])("?%s is refused", async (query) => {
  const { status, body } = await call("GET", `/search?${query}`);
  expect([status, body.code]).toEqual([422, "validation_errors"]);
});
