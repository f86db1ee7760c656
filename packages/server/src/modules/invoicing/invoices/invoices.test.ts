import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscriptionRequest, subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const outbox: { type: string; object: Record<string, unknown> }[] = [];
const { call, drain } = await startTallystick({
  subscribers: [
    async (_tx, { webhookType, payload }) => {
      const { object_type, ...message } = JSON.parse(payload);
      outbox.push({ type: webhookType, object: message[object_type] });
    },
  ],
});

const monthly = (request: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  now: "2024-01-01T00:00:00Z",
  metrics: { calls: { aggregation_type: "count_agg" } },
  charges: [{ metric: "calls", properties: { amount: "2" } }],
  ...request,
  plan: { amount_cents: 3100, ...request.plan },
});

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const invoicesOf = async (customer: string, query = "") =>
  (await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}${query}`))).invoices;
const show = async (id: string) => (await must(call("GET", `/invoices/${id}`))).invoice;
const refused = (status: number, error: string, code: string) => ({ status, error, code });

test("a period is billed when it ends: its fee and usage, numbered, dated and published once", async () => {
  const { customer, subscription, send, advanceTo, metricCode } = await subscribeCustomer(call, monthly());
  await send("calls", {}, {});
  await advanceTo("2024-02-01T00:00:00Z");
  const [listed, ...others] = await invoicesOf(customer);
  expect(others).toEqual([]);
  expect(listed.fees).toBeUndefined();
  const invoice = await show(listed.svc_id);
  expect(invoice).toMatchObject({
    number: expect.stringMatching(/-001$/),
    sequential_id: 1,
    issuing_date: "2024-02-01",
    payment_due_date: "2024-02-01",
    status: "finalized",
    payment_status: "pending",
    invoice_type: "subscription",
    currency: "EUR",
    fees_amount_cents: 3500,
    total_amount_cents: 3500,
    customer: { external_id: customer },
    subscriptions: [{ external_id: subscription }],
    credits: [],
  });
  expect(invoice.fees).toMatchObject([
    { item: { type: "subscription", item_type: "Subscription" }, amount_cents: 3100, units: "1.0", events_count: null },
    {
      item: { type: "charge", code: metricCode("calls"), item_type: "BillableMetric" },
      amount_cents: 400,
      units: "2.0",
      events_count: 2,
      from_date: "2024-01-01T00:00:00Z",
      to_date: "2024-01-31T23:59:59Z",
    },
  ]);
  await drain();
  const published = outbox.filter(({ object }) => object.svc_id === invoice.svc_id);
  expect(published.map(({ type }) => type)).toEqual(["invoice.created"]);
  expect(published[0]?.object).toEqual(invoice);
});

test("fees in advance are billed at once, without an advance of the clock", async () => {
  const { customer } = await subscribeCustomer(call, monthly({ plan: { pay_in_advance: true } }));
  expect(await invoicesOf(customer)).toMatchObject([{ fees_amount_cents: 3100, issuing_date: "2024-01-01" }]);
});

test("a first fee and an end at one instant are two invoices", async () => {
  const { customer, subscription } = await subscribeCustomer(call, monthly({ plan: { pay_in_advance: true } }));
  await must(call("DELETE", `/subscriptions/${encodeURIComponent(subscription)}`));
  const invoices = await invoicesOf(customer);
  expect(invoices.map(({ sequential_id }: { sequential_id: number }) => sequential_id)).toEqual([2, 1]);
});

test("a refreshed draft includes late usage, and is finalized as its day begins", async () => {
  const customerTerms = { billing_configuration: { invoice_grace_period: 3 }, net_payment_term: 30 };
  const { customer, send, advanceTo } = await subscribeCustomer(call, monthly({ customer: customerTerms }));
  await advanceTo("2024-02-01T12:00:00Z");
  const [draft] = await invoicesOf(customer);
  expect(draft).toMatchObject({
    status: "draft",
    number: expect.stringMatching(/-DRAFT$/),
    sequential_id: null,
    issuing_date: "2024-02-04",
    payment_due_date: "2024-03-05",
    total_amount_cents: 3100,
  });
  await send("calls", { timestamp: "2024-01-31T23:00:00Z" });
  expect((await show(draft.svc_id)).total_amount_cents).toBe(3100);
  const refreshed = await must(call("PUT", `/invoices/${draft.svc_id}/refresh`));
  expect(refreshed.invoice).toMatchObject({ status: "draft", total_amount_cents: 3300, issuing_date: "2024-02-04" });
  for (const [body, code] of [
    [{ payment_status: "succeeded" }, "payment_status_update_on_draft_invoice"],
    [{ metadata: [{ key: "a", value: "b" }] }, "metadata_on_draft_invoice"],
  ] as const)
    expect((await call("PUT", `/invoices/${draft.svc_id}`, { invoice: body })).body).toEqual(
      refused(405, "Method Not Allowed", code),
    );
  await send("calls", { timestamp: "2024-01-30T00:00:00Z" });
  await advanceTo("2024-02-04T00:00:00Z");
  expect(await show(draft.svc_id)).toMatchObject({
    status: "finalized",
    sequential_id: 1,
    total_amount_cents: 3500,
    issuing_date: "2024-02-04",
    payment_due_date: "2024-03-05",
  });
  expect((await call("PUT", `/invoices/${draft.svc_id}/finalize`)).body).toEqual(
    refused(404, "Not Found", "invoice_not_found"),
  );
  await drain();
  const reported = outbox.filter(({ object }) => object.svc_id === draft.svc_id).map(({ type }) => type);
  expect(reported).toEqual(["invoice.drafted", "invoice.created"]);
});

test("an unpaid invoice becomes overdue after its due day; its fees are paid with it", async () => {
  const { customer, advanceTo } = await subscribeCustomer(call, monthly({ customer: { net_payment_term: 5 } }));
  await advanceTo("2024-02-06T23:59:59Z");
  const [{ svc_id }] = await invoicesOf(customer);
  expect((await show(svc_id)).payment_overdue).toBe(false);
  await advanceTo("2024-02-07T00:00:00Z");
  expect((await show(svc_id)).payment_overdue).toBe(true);
  expect(await invoicesOf(customer, "&payment_overdue=true")).toHaveLength(1);
  const paid = (await must(call("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } }))).invoice;
  expect(paid).toMatchObject({ payment_status: "succeeded", payment_overdue: false });
  expect(paid.fees).toMatchObject([{ payment_status: "succeeded", succeeded_at: "2024-02-07T00:00:00Z" }]);
  expect((await call("POST", `/invoices/${svc_id}/void`)).body).toEqual(
    refused(405, "Method Not Allowed", "not_voidable"),
  );
});

test("a voided invoice keeps its number, and its period is not billed again", async () => {
  const { customer, advanceTo } = await subscribeCustomer(call, monthly());
  await advanceTo("2024-02-01T00:00:00Z");
  const [{ svc_id, number }] = await invoicesOf(customer);
  const voided = (await must(call("POST", `/invoices/${svc_id}/void`))).invoice;
  expect(voided).toMatchObject({ status: "voided", number, total_amount_cents: 3100 });
  await advanceTo("2024-03-01T00:00:00Z");
  expect(await invoicesOf(customer)).toMatchObject([{ sequential_id: 2 }, { sequential_id: 1, status: "voided" }]);
  expect((await call("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "failed" } })).body).toEqual(
    refused(405, "Method Not Allowed", "update_on_voided_invoice"),
  );
});

test("metadata of an invoice: pairs are added, changed by their ids, and removed", async () => {
  const { customer, advanceTo } = await subscribeCustomer(call, monthly());
  await advanceTo("2024-02-01T00:00:00Z");
  const [{ svc_id }] = await invoicesOf(customer);
  const put = (metadata: object[]) => call("PUT", `/invoices/${svc_id}`, { invoice: { metadata } });
  const { metadata } = (await must(put([{ key: "order", value: "17" }]))).invoice;
  expect(metadata).toMatchObject([{ key: "order", value: "17" }]);
  const changed = (await must(put([{ id: metadata[0].svc_id, key: "order", value: "18" }]))).invoice;
  expect(changed.metadata).toEqual([{ ...metadata[0], value: "18" }]);
  expect((await must(put([]))).invoice.metadata).toEqual([]);
  const six = Array.from({ length: 6 }, (_, index) => ({ key: `k${index}`, value: "v" }));
  expect((await put(six)).body.error_details).toEqual({ metadata: ["invalid_count"] });
});

test("a preview shows the next invoice and stores nothing", async () => {
  const { customer, subscription, send, advanceTo } = await subscribeCustomer(call, monthly());
  await send("calls", {}, {}, {});
  const body = { invoice: { external_subscription_id: subscription } };
  const preview = (await must(call("POST", "/invoices/preview", body))).invoice;
  expect(preview).toMatchObject({ svc_id: null, number: null, created_at: null, total_amount_cents: 3700 });
  expect(await invoicesOf(customer)).toEqual([]);
  await advanceTo("2024-02-01T00:00:00Z");
  const [{ svc_id }] = await invoicesOf(customer);
  const { fees, issuing_date, total_amount_cents } = await show(svc_id);
  expect(preview).toMatchObject({ issuing_date, total_amount_cents });
  expect(preview.fees.map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual(
    fees.map(({ amount_cents }: { amount_cents: number }) => amount_cents),
  );
});

test("past usage: closed periods as they were billed, newest first", async () => {
  const { customer, subscription, send, advanceTo } = await subscribeCustomer(call, monthly());
  await send("calls", {}, {});
  await advanceTo("2024-02-15T00:00:00Z");
  await send("calls", {});
  await advanceTo("2024-03-01T00:00:00Z");
  const path = `/customers/${encodeURIComponent(customer)}/past_usage`;
  const query = `external_subscription_id=${encodeURIComponent(subscription)}`;
  const { usage_periods, meta } = await must(call("GET", `${path}?${query}`));
  expect(meta.total_count).toBe(2);
  expect(usage_periods).toMatchObject([
    { from_datetime: "2024-02-01T00:00:00Z", to_datetime: "2024-02-29T23:59:59Z", amount_cents: 200 },
    { amount_cents: 400, charges_usage: [{ units: "2.0", events_count: 2, billable_metric: { name: "calls" } }] },
  ]);
  expect((await call("GET", `${path}?${query}&billable_metric_code=none`)).body).toEqual(
    refused(404, "Not Found", "billable_metric_not_found"),
  );
});

test("the last invoice of a deleted customer is finalized with the taxes that it had", async () => {
  await must(call("POST", "/taxes", { tax: { name: "Own", code: "of deleted", rate: "10" } }));
  const { customer, advanceTo } = await subscribeCustomer(
    call,
    monthly({ customer: { tax_codes: ["of deleted"], billing_configuration: { invoice_grace_period: 5 } } }),
  );
  await advanceTo("2024-02-02T00:00:00Z");
  const [draft] = await invoicesOf(customer);
  expect(draft.status).toBe("draft");
  await must(call("DELETE", `/customers/${encodeURIComponent(customer)}`));
  await drain();
  expect(await invoicesOf(customer)).toMatchObject([
    { status: "finalized", fees_amount_cents: 214, taxes_amount_cents: 21 },
    { status: "finalized", fees_amount_cents: 3100, taxes_amount_cents: 310 },
  ]);
});

test("deleting a test clock creates the last invoices of its customers", async () => {
  const { customer, mark, advanceTo } = await subscribeCustomer(
    call,
    monthly({ customer: { billing_configuration: { invoice_grace_period: 5 } } }),
  );
  await advanceTo("2024-02-02T00:00:00Z");
  const { test_clocks } = await must(call("GET", "/test_clocks"));
  const { svc_id } = test_clocks.find(({ name }: { name: string }) => name === mark);
  await must(call("DELETE", `/test_clocks/${svc_id}`));
  await drain();
  expect(await invoicesOf(customer)).toMatchObject([
    { status: "finalized", issuing_date: "2024-02-02", fees_amount_cents: 214 },
    { status: "finalized", issuing_date: "2024-02-02", fees_amount_cents: 3100 },
  ]);
});
