import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { makeTestPerson } from "../../../testing/make-test-person.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";

const { platform, call, drain, organizations } = await startTallystick();
const [{ id: organizationId } = { id: "" }] = organizations;

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const monthly = (request: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  now: "2024-01-01T00:00:00Z",
  metrics: { calls: { aggregation_type: "count_agg" } },
  charges: [{ metric: "calls", properties: { amount: "2" } }],
  ...request,
  plan: { amount_cents: 3100, ...request.plan },
});

type Change = { change: string; subscription: Record<string, unknown>; status?: string };

/** Sends the change itself, as the description says. */
function make({ change, subscription: { external_id, ...members }, status }: Change, customer: string) {
  const path = `/subscriptions/${encodeURIComponent(String(external_id))}`;
  const query = new URLSearchParams({ ...(members as Record<string, string>), ...(status ? { status } : {}) });
  if (change === "update") return call("PUT", path, { subscription: members, ...(status ? { status } : {}) });
  if (change === "end") return call("DELETE", `${path}?${query}`);
  return call("POST", "/subscriptions", {
    subscription: { external_customer_id: customer, ...members, external_id },
  });
}

/** Without what only stored documents have. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== "object" || value === null) return value;
  const isOfDocument = (name: string) =>
    name.startsWith("svc_") || /^(id|number|sequential_id|created_at|updated_at|file_url)$/.test(name);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isOfDocument(name))
      .map(([name, member]) => [name, withoutIds(member)]),
  );
}

const encode = encodeURIComponent;
const listOf = async (name: string, customer: string): Promise<{ svc_id: string }[]> =>
  (await must(call("GET", `/${name}?external_customer_id=${encode(customer)}&sort=created_at`)))[name];
const show = async (name: "invoice" | "credit_note", id: string) => (await must(call("GET", `/${name}s/${id}`)))[name];

async function nextInvoiceOf(externalId: unknown): Promise<unknown> {
  const { status, body } = await call("POST", "/invoices/preview", {
    invoice: { external_subscription_id: externalId },
  });
  return status === 200 ? body.invoice : null;
}

type Compared = { preview: Answer["body"]; made: { invoices: Answer["body"][]; credit_notes: Answer["body"][] } };

/** Previews a change, makes it, and expects of each document that it has come true. */
async function expectTrue(customer: string, change: Change): Promise<Compared> {
  const { external_id } = change.subscription;
  const before = await nextInvoiceOf(external_id);
  const [invoicesBefore, notesBefore] = [await listOf("invoices", customer), await listOf("credit_notes", customer)];
  const { preview } = await must(call("POST", "/subscriptions/preview", change));
  expect(preview.next_invoice_before).toEqual(before);
  expect(await listOf("invoices", customer)).toEqual(invoicesBefore);
  await must(make(change, customer));
  const isNew = (old: readonly { svc_id: string }[]) => (one: { svc_id: string }) =>
    !old.some(({ svc_id }) => svc_id === one.svc_id);
  const newOf = async (name: "invoice" | "credit_note", old: readonly { svc_id: string }[]) =>
    Promise.all((await listOf(`${name}s`, customer)).filter(isNew(old)).map(({ svc_id }) => show(name, svc_id)));
  const made = {
    invoices: await newOf("invoice", invoicesBefore),
    credit_notes: await newOf("credit_note", notesBefore),
  };
  expect(withoutIds(preview.now.invoices.map(withoutCodesOfNotes))).toEqual(
    withoutIds(made.invoices.map(withoutCodesOfNotes)),
  );
  // An invoice of the change may have used the credit since.
  const asIssued = (note: Record<string, unknown>) => ({ ...note, balance_amount_cents: 0, credit_status: "" });
  expect(withoutIds(preview.now.credit_notes.map(asIssued))).toEqual(withoutIds(made.credit_notes.map(asIssued)));
  const after = await nextInvoiceOf(external_id);
  const shown = [preview.next_invoice_after, after].map((one) => one && withoutIds(withoutCodesOfNotes(one)));
  expect(shown[0]).toEqual(shown[1]);
  return { preview, made };
}

/** The number of a credit note that the change makes is not known before. */
const withoutCodesOfNotes = (invoice: { credits: { item: { type: string } }[] }) => ({
  ...invoice,
  credits: invoice.credits.map((credit) =>
    credit.item.type === "credit_note" ? { ...credit, item: { ...credit.item, code: null } } : credit,
  ),
});

let plans = 0;
async function makePlan(plan: Record<string, unknown>, charges: readonly object[] = []): Promise<string> {
  const code = `other ${++plans}`;
  const terms = { interval: "monthly", amount_currency: "EUR", pay_in_advance: false };
  await must(call("POST", "/plans", { plan: { name: "Other", code, ...terms, charges, ...plan } }));
  return code;
}

const inAdvance = { plan: { pay_in_advance: true } };
const totalsOf = (documents: readonly { total_amount_cents: number }[]) =>
  documents.map(({ total_amount_cents }) => total_amount_cents);

/** A customer on a test clock without a subscription under the name of the change. */
async function makeCustomer(members: Record<string, unknown> = {}): Promise<SubscribedCustomer> {
  const one = await subscribeCustomer(call, monthly({ customer: members }));
  await must(call("DELETE", `/subscriptions/${encode(one.subscription)}`));
  return one;
}

test("create in advance: the first invoice comes true", async () => {
  const { customer } = await makeCustomer();
  const plan_code = await makePlan({ pay_in_advance: true, amount_cents: 6200 });
  const subscription = { external_customer_id: customer, external_id: `${customer} new`, plan_code };
  const { preview } = await expectTrue(customer, { change: "create", subscription });
  expect(totalsOf(preview.now.invoices)).toEqual([6200]);
  expect(preview).toMatchObject({ takes_effect_at: "2024-01-01T00:00:00Z", next_invoice_before: null });
  expect(preview.next_invoice_after).toMatchObject({ total_amount_cents: 6200, issuing_date: "2024-02-01" });
});

test("create in arrears, on anniversary, with a trial and prices of its own", async () => {
  const { customer, advanceTo } = await makeCustomer();
  await advanceTo("2024-01-17T10:00:00Z");
  const plan_code = await makePlan({ amount_cents: 6200 });
  const subscription = {
    ...{ external_customer_id: customer, external_id: `${customer} new`, plan_code, billing_time: "anniversary" },
    plan_overrides: { amount_cents: 9300, trial_period: 10 },
  };
  const { preview } = await expectTrue(customer, { change: "create", subscription });
  expect(preview.now.invoices).toEqual([]);
  expect(preview.next_invoice_after.total_amount_cents).toBeGreaterThan(0);
});

test("create for a customer that does not exist makes no customer", async () => {
  const plan_code = await makePlan({ pay_in_advance: true, amount_cents: 500 });
  const subscription = { external_customer_id: "nobody yet", external_id: "nobody yet", plan_code };
  const { preview } = await must(call("POST", "/subscriptions/preview", { change: "create", subscription }));
  expect(totalsOf(preview.now.invoices)).toEqual([expect.any(Number)]);
  expect((await call("GET", "/customers/nobody%20yet")).status).toBe(404);
});

test("create with a start in the future takes effect then, and makes nothing now", async () => {
  const { customer } = await makeCustomer();
  const plan_code = await makePlan({ pay_in_advance: true, amount_cents: 6200 });
  const subscription_at = "2024-03-01T00:00:00Z";
  const subscription = { external_customer_id: customer, external_id: `${customer} new`, plan_code, subscription_at };
  const { preview } = await expectTrue(customer, { change: "create", subscription });
  expect(preview).toEqual({
    takes_effect_at: subscription_at,
    now: { invoices: [], credit_notes: [] },
    next_invoice_before: null,
    next_invoice_after: null,
  });
});

test.each([
  ["in advance", { pay_in_advance: true, amount_cents: 9300 }],
  ["in arrears", { amount_cents: 9300 }],
  ["with a minimum", { pay_in_advance: true, amount_cents: 9300, minimum_commitment: { amount_cents: 20_000 } }],
])("an upgrade %s in the middle of a period comes true, with usage of both plans", async (_, plan) => {
  const one = await subscribeCustomer(call, monthly(inAdvance));
  await one.send("calls", {}, {}, {});
  await one.advanceTo("2024-01-11T00:00:00Z");
  const metric = await must(call("GET", `/billable_metrics/${encode(one.metricCode("calls"))}`));
  const charge = {
    billable_metric_id: metric.billable_metric.svc_id,
    charge_model: "standard",
    properties: { amount: "5" },
  };
  const plan_code = await makePlan(plan, [charge]);
  const { preview } = await expectTrue(one.customer, {
    change: "plan",
    subscription: { external_id: one.subscription, plan_code },
  });
  expect(preview.takes_effect_at).toBe("2024-01-11T00:00:00Z");
  expect(preview.now.invoices).toHaveLength(1);
  expect(totalsOf(preview.now.credit_notes)).toEqual([2100]);
});

test("a downgrade takes effect at the end of the period and makes nothing now", async () => {
  const one = await subscribeCustomer(call, monthly(inAdvance));
  await one.advanceTo("2024-01-11T00:00:00Z");
  const plan_code = await makePlan({ amount_cents: 1000, pay_in_advance: true });
  const { preview } = await expectTrue(one.customer, {
    change: "plan",
    subscription: { external_id: one.subscription, plan_code },
  });
  expect(preview.now).toEqual({ invoices: [], credit_notes: [] });
  expect(preview.takes_effect_at).toBe("2024-02-01T00:00:00Z");
  expect(preview.next_invoice_before.total_amount_cents).toBe(3100);
  expect(preview.next_invoice_after.total_amount_cents).toBe(1000);
});

test("prices of its own change the next invoice, and nothing now", async () => {
  const one = await subscribeCustomer(call, monthly());
  await one.send("calls", {}, {});
  const { preview } = await expectTrue(one.customer, {
    change: "update",
    subscription: { external_id: one.subscription, plan_overrides: { amount_cents: 5000 } },
  });
  expect(preview.now).toEqual({ invoices: [], credit_notes: [] });
  expect(
    [preview.next_invoice_before, preview.next_invoice_after].map(({ total_amount_cents }) => total_amount_cents),
  ).toEqual([3500, 5400]);
});

test("an end in the future takes effect then", async () => {
  const one = await subscribeCustomer(call, monthly());
  const ending_at = "2024-01-16T00:00:00Z";
  const { preview } = await expectTrue(one.customer, {
    change: "update",
    subscription: { external_id: one.subscription, ending_at },
  });
  expect(preview.takes_effect_at).toBe(ending_at);
  expect(preview.next_invoice_after.total_amount_cents).toBe(1600);
});

test.each([
  [{}, [400], [2000]],
  [{ on_termination_credit_note: "skip" }, [400], []],
  [{ on_termination_credit_note: "refund" }, [400], [2000]],
  [{ on_termination_invoice: "skip" }, [], [2000]],
  [{ on_termination_invoice: "generate", on_termination_credit_note: "credit" }, [400], [2000]],
])("an end with %j comes true", async (atEnd, fees, notes) => {
  const one = await subscribeCustomer(call, monthly(inAdvance));
  const [first] = await listOf("invoices", one.customer);
  await must(call("PUT", `/invoices/${first?.svc_id}`, { invoice: { payment_status: "succeeded" } }));
  await one.send("calls", {}, {});
  await one.advanceTo("2024-01-11T00:00:00Z");
  const { preview } = await expectTrue(one.customer, {
    change: "end",
    subscription: { external_id: one.subscription, ...atEnd },
  });
  expect(preview.now.invoices.map(({ fees_amount_cents }: { fees_amount_cents: number }) => fees_amount_cents)).toEqual(
    fees,
  );
  expect(totalsOf(preview.now.credit_notes)).toEqual(notes);
  expect(preview.next_invoice_after).toBeNull();
});

test("a canceled start and an end during a trial come true", async () => {
  const { customer } = await makeCustomer();
  const trial = await makePlan({ pay_in_advance: true, amount_cents: 6200, trial_period: 20 });
  const on = (external_id: string, members: object = {}) =>
    must(
      call("POST", "/subscriptions", {
        subscription: { external_customer_id: customer, plan_code: trial, external_id, ...members },
      }),
    );
  await on(`${customer} trial`);
  await on(`${customer} later`, { subscription_at: "2024-05-01T00:00:00Z" });
  const ended = await expectTrue(customer, { change: "end", subscription: { external_id: `${customer} trial` } });
  expect(ended.preview.now.credit_notes).toEqual([]);
  const canceled = { external_id: `${customer} later` };
  await expectTrue(customer, { change: "end", status: "pending", subscription: canceled });
});

test("coupons, credit notes and prepaid credits are used in turn by the invoices of the change and the next one", async () => {
  const one = await subscribeCustomer(call, monthly(inAdvance));
  const external_customer_id = one.customer;
  await must(
    call("POST", "/taxes", { tax: { name: "VAT", code: one.mark, rate: "20", applied_to_organization: true } }),
  );
  const coupon = {
    name: "C",
    code: one.mark,
    coupon_type: "fixed_amount",
    amount_cents: 7_000,
    amount_currency: "EUR",
  };
  await must(call("POST", "/coupons", { coupon: { ...coupon, frequency: "once", expiration: "no_expiration" } }));
  await must(call("POST", "/applied_coupons", { applied_coupon: { external_customer_id, coupon_code: one.mark } }));
  const wallet = { external_customer_id, rate_amount: "1", currency: "EUR", granted_credits: "45" };
  await must(call("POST", "/wallets", { wallet }));
  await one.advanceTo("2024-01-11T00:00:00Z");
  const plan_code = await makePlan({ pay_in_advance: true, amount_cents: 12_400 });
  const { preview, made } = await expectTrue(one.customer, {
    change: "plan",
    subscription: { external_id: one.subscription, plan_code },
  });
  const [invoice] = made.invoices;
  expect([
    invoice.coupons_amount_cents,
    invoice.credit_notes_amount_cents,
    invoice.prepaid_credit_amount_cents,
  ]).toEqual([7_000, expect.any(Number), expect.any(Number)]);
  expect(invoice.credit_notes_amount_cents).toBeGreaterThan(0);
  expect(preview.next_invoice_after.coupons_amount_cents).toBe(0);
  expect(preview.next_invoice_after.prepaid_credit_amount_cents).toBeGreaterThan(0);
  const [credit] = preview.now.invoices[0].credits.filter(
    ({ item }: { item: { type: string } }) => item.type === "credit_note",
  );
  expect(credit.item).toMatchObject({ svc_item_id: null, code: null });
});

test("with a grace period the documents are drafts", async () => {
  const billing_configuration = { invoice_grace_period: 5 };
  const one = await subscribeCustomer(call, monthly({ customer: { billing_configuration } }));
  await one.advanceTo("2024-01-11T00:00:00Z");
  const { preview } = await expectTrue(one.customer, {
    change: "end",
    subscription: { external_id: one.subscription },
  });
  expect(preview.now.invoices).toMatchObject([
    { status: "draft", issuing_date: "2024-01-16", total_due_amount_cents: 0 },
  ]);
});

test("on the real clock too, the first invoice comes true", async () => {
  const plan_code = await makePlan({ pay_in_advance: true, amount_cents: 6200 });
  await must(call("POST", "/customers", { customer: { external_id: "on the real clock" } }));
  const subscription = { external_customer_id: "on the real clock", external_id: "on the real clock", plan_code };
  const { preview } = await must(call("POST", "/subscriptions/preview", { change: "create", subscription }));
  await must(call("POST", "/subscriptions", { subscription }));
  await drain();
  const [made] = await listOf("invoices", "on the real clock");
  const { fees, ...invoice } = await show("invoice", made?.svc_id ?? "");
  const [{ fees: previewed, ...shown }] = preview.now.invoices;
  expect(withoutIds({ ...shown, subscriptions: [] })).toEqual(withoutIds({ ...invoice, subscriptions: [] }));
  expect(totalsOf(previewed)).toEqual(totalsOf(fees));
});

test("a preview leaves no row of any table, publishes nothing and takes no number", async () => {
  const url = platform.config.DATABASE_URL;
  // They count requests.
  const tables = await runOn<{ name: string }>(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') and tablename not in ('api_keys', 'security_counts')`,
  );
  const one = await subscribeCustomer(call, monthly(inAdvance));
  await one.advanceTo("2024-01-11T00:00:00Z");
  await drain();
  const plan_code = await makePlan({ pay_in_advance: true, amount_cents: 9300 });
  const contents = async () => {
    const found: Record<string, unknown> = {};
    for (const { name } of tables)
      found[name] = await runOn(url, `select count(*), md5(string_agg(t::text, '' order by t::text)) from ${name} t`);
    return found;
  };
  const stored = await contents();
  const external_id = one.subscription;
  const changes: Change[] = [
    { change: "create", subscription: { external_customer_id: "somewhere else", external_id: "a new one", plan_code } },
    { change: "plan", subscription: { external_id, plan_code, plan_overrides: { amount_cents: 9999 } } },
    { change: "update", subscription: { external_id, plan_overrides: { amount_cents: 1 } } },
    { change: "end", subscription: { external_id } },
  ];
  for (const change of changes) await must(call("POST", "/subscriptions/preview", change));
  expect(await contents()).toEqual(stored);
});

test.each([
  [
    "create",
    { external_id: "x" },
    422,
    { external_customer_id: ["value_is_mandatory"], plan_code: ["value_is_mandatory"] },
  ],
  ["plan", { external_id: "x" }, 422, { plan_code: ["value_is_mandatory"] }],
  [
    "end",
    { external_id: "x", plan_code: "y", name: "z" },
    422,
    { plan_code: ["unknown_member"], name: ["unknown_member"] },
  ],
  ["update", { external_id: "x", billing_time: "calendar" }, 422, { billing_time: ["unknown_member"] }],
] as const)("%s with %j is refused", async (change, subscription, expected, details) => {
  const { status, body } = await call("POST", "/subscriptions/preview", { change, subscription });
  expect([status, body.error_details]).toEqual([expected, details]);
});

test.each(["plan", "update", "end"])("%s of a subscription that does not exist is 404", async (change) => {
  const plan_code = await makePlan({ amount_cents: 1 });
  const subscription = { external_id: "unknown", ...(change === "plan" ? { plan_code } : {}) };
  const { status, body } = await call("POST", "/subscriptions/preview", { change, subscription });
  expect([status, body.code]).toEqual([404, "subscription_not_found"]);
});

test("a change that would be refused is refused in the same way", async () => {
  const one = await subscribeCustomer(call, monthly());
  const plan_code = await makePlan({ amount_cents: 1, amount_currency: "USD" });
  const change = { change: "plan", subscription: { external_id: one.subscription, plan_code } };
  const previewed = await call("POST", "/subscriptions/preview", change);
  const made = await make(change, one.customer);
  expect(previewed.status).toBe(422);
  expect(previewed.body).toEqual(made.body);
});

test("a support member previews a change that only others may make", async () => {
  const one = await subscribeCustomer(call, monthly());
  const key = (await makeTestPerson(platform, organizationId, { role: "support" })).credential;
  const change = { change: "end", subscription: { external_id: one.subscription } };
  expect((await call("POST", "/subscriptions/preview", change, { key })).status).toBe(200);
  const refused = await call("DELETE", `/subscriptions/${encode(one.subscription)}`, undefined, { key });
  expect([refused.status, refused.body.code]).toEqual([403, "write_action_not_allowed_for_subscription"]);
});

test("a key without invoice:read sees no preview", async () => {
  const one = await subscribeCustomer(call, monthly());
  const { token: key } = await makeTestKey(platform, organizationId, {
    permissions: { subscription: ["read", "write"] },
  });
  const change = { change: "end", subscription: { external_id: one.subscription } };
  const refused = await call("POST", "/subscriptions/preview", change, { key });
  expect([refused.status, refused.body.code]).toEqual([403, "read_action_not_allowed_for_invoice"]);
});
