import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const { call, organizations, platform } = await startTallystick();

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const FIXED = {
  name: "Welcome",
  coupon_type: "fixed_amount",
  amount_cents: 1000,
  amount_currency: "EUR",
  frequency: "once",
  expiration: "no_expiration",
};
const makeCoupon = (code: string, members: object = {}) =>
  must(call("POST", "/coupons", { coupon: { ...FIXED, code, ...members } }));
const makeCustomer = (external_id: string, members: object = {}) =>
  must(call("POST", "/customers", { customer: { external_id, ...members } }));
const apply = (external_customer_id: string, coupon_code: string, members: object = {}) =>
  call("POST", "/applied_coupons", { applied_coupon: { external_customer_id, coupon_code, ...members } });
const list = async (query: string) => (await must(call("GET", `/applied_coupons?${query}`))).applied_coupons;
const ofCustomer = (customer: string) => list(`external_customer_id=${encodeURIComponent(customer)}`);
const refused = (code: string, status: number, error: string) => ({ status, error, code });
const invalid = (error_details: object) => ({
  ...refused("validation_errors", 422, "Unprocessable Entity"),
  error_details,
});

/** A customer that owes 6.00 a month, on the first of January. */
const subscribe = (plan: object = {}, customer: Record<string, unknown> = {}) =>
  subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: { amount_cents: 600, ...plan },
    customer,
  });
const invoicesOf = async (customer: string) => {
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`));
  const shown: Answer["body"][] = [];
  for (const { svc_id } of invoices.toReversed()) shown.push((await must(call("GET", `/invoices/${svc_id}`))).invoice);
  return shown;
};

test("a coupon is applied with its own terms or with overrides", async () => {
  await makeCoupon("own", { frequency: "recurring", frequency_duration: 3 });
  await makeCustomer("acme");
  const { applied_coupon: own } = await must(apply("acme", "own"));
  expect(own).toEqual({
    svc_id: expect.any(String),
    svc_coupon_id: expect.any(String),
    coupon_code: "own",
    coupon_name: "Welcome",
    svc_customer_id: expect.any(String),
    external_customer_id: "acme",
    status: "active",
    amount_cents: 1000,
    amount_cents_remaining: null,
    amount_currency: "EUR",
    percentage_rate: null,
    frequency: "recurring",
    frequency_duration: 3,
    frequency_duration_remaining: 3,
    expiration_at: null,
    created_at: expect.any(String),
    terminated_at: null,
  });
  const { applied_coupon: other } = await must(apply("acme", "own", { amount_cents: 250, frequency: "once" }));
  expect(other).toMatchObject({
    amount_cents: 250,
    amount_cents_remaining: 250,
    frequency: "once",
    frequency_duration: null,
    frequency_duration_remaining: null,
  });
  expect(await ofCustomer("acme")).toEqual([
    { ...other, credits: [] },
    { ...own, credits: [] },
  ]);
  const { customer } = await must(call("GET", "/customers/acme"));
  expect(customer.currency).toBe("EUR");
  const other_key = { key: organizations[1]?.key ?? "" };
  expect((await call("GET", "/applied_coupons", undefined, other_key)).body.applied_coupons).toEqual([]);
});

test("an invalid application is refused with its code", async () => {
  await makeCustomer("limits", { currency: "USD" });
  await makeCoupon("euros");
  await makeCoupon("once per customer", { coupon_type: "percentage", percentage_rate: "10", reusable: false });
  await makeCoupon("gone");
  await must(call("DELETE", "/coupons/gone"));
  expect((await apply("nobody", "euros")).body).toMatchObject(refused("customer_not_found", 404, "Not Found"));
  expect((await apply("limits", "nothing")).body).toMatchObject(refused("coupon_not_found", 404, "Not Found"));
  expect((await apply("limits", "gone")).body).toMatchObject(refused("coupon_not_found", 404, "Not Found"));
  expect((await apply("limits", "euros")).body).toMatchObject(invalid({ currency: ["currencies_does_not_match"] }));
  expect((await apply("limits", "euros", { amount_cents: 0 })).body).toEqual(
    invalid({ amount_cents: ["value_is_out_of_range"] }),
  );
  const { applied_coupon } = await must(apply("limits", "once per customer"));
  await must(call("DELETE", `/customers/limits/applied_coupons/${applied_coupon.svc_id}`));
  expect((await apply("limits", "once per customer")).body).toMatchObject(
    invalid({ coupon: ["coupon_is_not_reusable"] }),
  );
});

test("two coupons of a customer are not limited to the same plan", async () => {
  const plan = { interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };
  for (const code of ["p", "q"]) await must(call("POST", "/plans", { plan: { ...plan, name: code, code } }));
  await makeCustomer("overlap");
  await makeCoupon("on p and q", { applies_to: { plan_codes: ["p", "q"] } });
  await makeCoupon("on q", { applies_to: { plan_codes: ["q"] } });
  await makeCoupon("on all");
  const { applied_coupon } = await must(apply("overlap", "on p and q"));
  await must(apply("overlap", "on all"));
  expect((await apply("overlap", "on q")).body).toMatchObject(refused("plan_overlapping", 405, "Method Not Allowed"));
  await must(call("DELETE", `/customers/overlap/applied_coupons/${applied_coupon.svc_id}`));
  await must(apply("overlap", "on q"));
});

test("a removed coupon is terminated, also when removed again", async () => {
  await makeCoupon("back");
  await makeCustomer("returns");
  const { applied_coupon } = await must(apply("returns", "back"));
  const path = `/customers/returns/applied_coupons/${applied_coupon.svc_id}`;
  const ended = (await must(call("DELETE", path))).applied_coupon;
  expect(ended).toMatchObject({
    status: "terminated",
    terminated_at: expect.any(String),
    amount_cents_remaining: 1000,
  });
  expect((await must(call("DELETE", path))).applied_coupon).toEqual(ended);
  expect(await list("external_customer_id=returns&status=active")).toEqual([]);
  expect(await list("external_customer_id=returns&status=terminated")).toHaveLength(1);
  const missing = refused("applied_coupon_not_found", 404, "Not Found");
  expect((await call("DELETE", "/customers/returns/applied_coupons/junk")).body).toEqual(missing);
});

test("an amount lasts until it is used up; a void returns it and reactivates the coupon", async () => {
  await makeCoupon("ten");
  const { customer, advanceTo } = await subscribe();
  const { applied_coupon } = await must(apply(customer, "ten"));
  await advanceTo("2024-03-01T00:00:00Z");
  const [january, february] = await invoicesOf(customer);
  expect(january).toMatchObject({ coupons_amount_cents: 600, total_amount_cents: 0, payment_status: "succeeded" });
  expect(february).toMatchObject({ coupons_amount_cents: 400, total_amount_cents: 200 });
  expect(february.credits).toEqual([
    {
      svc_id: expect.any(String),
      amount_cents: 400,
      amount_currency: "EUR",
      before_taxes: true,
      item: { svc_item_id: applied_coupon.svc_coupon_id, type: "coupon", code: "ten", name: "Welcome" },
      invoice: { svc_id: february.svc_id, payment_status: "pending" },
    },
  ]);
  const [used] = await ofCustomer(customer);
  expect(used).toMatchObject({ status: "terminated", amount_cents_remaining: 0 });
  expect(used.credits.map((credit: { amount_cents: number }) => credit.amount_cents)).toEqual([600, 400]);
  await must(call("POST", `/invoices/${february.svc_id}/void`));
  expect((await ofCustomer(customer))[0]).toMatchObject({ status: "active", amount_cents_remaining: 400 });
  await advanceTo("2024-04-01T00:00:00Z");
  expect((await invoicesOf(customer))[2]).toMatchObject({ coupons_amount_cents: 400, total_amount_cents: 200 });
});

test("a recurring coupon counts invoices, and a percentage that applies once is used once", async () => {
  await makeCoupon("twice", { frequency: "recurring", frequency_duration: 2, amount_cents: 100 });
  await makeCoupon("half", { coupon_type: "percentage", percentage_rate: "50" });
  const { customer, advanceTo } = await subscribe();
  await must(apply(customer, "twice"));
  await must(apply(customer, "half"));
  await advanceTo("2024-04-01T00:00:00Z");
  const credited = (await invoicesOf(customer)).map((invoice) => invoice.coupons_amount_cents);
  // 1.00, and half of the other 5.00; then 1.00; then nothing.
  expect(credited).toEqual([350, 100, 0]);
  const left = (await ofCustomer(customer)).map((one: Record<string, unknown>) => [
    one.coupon_code,
    one.status,
    one.frequency_duration_remaining,
  ]);
  expect(left).toEqual([
    ["half", "terminated", null],
    ["twice", "terminated", 0],
  ]);
});

test("a draft spends no coupon; its finalization does", async () => {
  await makeCoupon("later");
  const { customer, advanceTo } = await subscribe({}, { billing_configuration: { invoice_grace_period: 3 } });
  await must(apply(customer, "later"));
  await advanceTo("2024-02-01T00:00:00Z");
  const [draft] = await invoicesOf(customer);
  expect(draft).toMatchObject({ status: "draft", coupons_amount_cents: 0, credits: [], total_amount_cents: 600 });
  expect((await ofCustomer(customer))[0].amount_cents_remaining).toBe(1000);
  const { invoice } = await must(call("PUT", `/invoices/${draft.svc_id}/finalize`));
  expect(invoice).toMatchObject({ status: "finalized", coupons_amount_cents: 600, total_amount_cents: 0 });
  expect((await ofCustomer(customer))[0].amount_cents_remaining).toBe(400);
});

test("a preview shows the use of a coupon and uses nothing", async () => {
  await makeCoupon("shown");
  const { customer, subscription } = await subscribe();
  await must(apply(customer, "shown"));
  const request = { invoice: { external_subscription_id: subscription } };
  expect((await must(call("POST", "/invoices/preview", request))).invoice).toMatchObject({
    coupons_amount_cents: 600,
    total_amount_cents: 0,
    credits: [
      {
        svc_id: null,
        amount_cents: 600,
        amount_currency: "EUR",
        before_taxes: true,
        item: { type: "coupon", code: "shown" },
        invoice: { svc_id: null, payment_status: "succeeded" },
      },
    ],
  });
  expect((await ofCustomer(customer))[0].amount_cents_remaining).toBe(1000);
});

test("deleting a coupon terminates its applied coupons, and a void does not reactivate them", async () => {
  await makeCoupon("withdrawn", { amount_cents: 400 });
  await makeCoupon("unused");
  const { customer, advanceTo } = await subscribe();
  await must(apply(customer, "withdrawn"));
  await advanceTo("2024-02-01T00:00:00Z");
  await must(apply(customer, "unused"));
  for (const code of ["withdrawn", "unused"]) await must(call("DELETE", `/coupons/${code}`));
  const [january] = await invoicesOf(customer);
  await must(call("POST", `/invoices/${january.svc_id}/void`));
  const shown = (await ofCustomer(customer)).map((one: Record<string, unknown>) => [
    one.coupon_code,
    one.status,
    one.amount_cents_remaining,
  ]);
  expect(shown).toEqual([
    ["unused", "terminated", 1000],
    ["withdrawn", "terminated", 400],
  ]);
});

test("the terms of an applied coupon do not change", async () => {
  await makeCoupon("settled");
  await makeCustomer("settled customer");
  await must(apply("settled customer", "settled"));
  const { coupon } = await must(call("PUT", "/coupons/settled", { coupon: { name: "New", amount_cents: 1 } }));
  expect(coupon).toMatchObject({ name: "New", amount_cents: 1000 });
});

test("deleting a customer terminates its applied coupons", async () => {
  await makeCoupon("left behind");
  await makeCustomer("leaver");
  await must(apply("leaver", "left behind"));
  await must(call("DELETE", "/customers/leaver"));
  expect(
    (await list("per_page=1000")).find((one: { coupon_code: string }) => one.coupon_code === "left behind"),
  ).toMatchObject({
    status: "terminated",
  });
});

test("afterwards every invariant holds", async () => {
  const findings = await verify(platform.config.DATABASE_URL);
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
