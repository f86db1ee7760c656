/** Deleting a test clock deletes its customers; their documents stay, and no other work waits for them. */
import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscribedCustomer, subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { call, drain, platform, organizations } = await startTallystick({ organizations: 1 });
const organizationId = organizations[0]?.id ?? "";

/** A customer that was billed for January and has a credit note, a wallet, and usage in advance and in arrears. */
async function makeLife(): Promise<SubscribedCustomer & { clock: string; invoice: string; fee: string; note: string }> {
  const life = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { calls: { aggregation_type: "count_agg" }, jobs: { aggregation_type: "count_agg" } },
    charges: [
      { metric: "calls", pay_in_advance: true, properties: { amount: "1" } },
      { metric: "jobs", properties: { amount: "2" } },
    ],
    plan: { amount_cents: 1000 },
  });
  await life.advanceTo("2024-02-01T00:00:00Z");
  const { body } = await call("GET", `/invoices?external_customer_id=${encodeURIComponent(life.customer)}`);
  const invoice = body.invoices[0].svc_id;
  const fee = (await call("GET", `/invoices/${invoice}`)).body.invoice.fees[0].svc_id;
  await call("PUT", `/invoices/${invoice}`, { invoice: { payment_status: "succeeded" } });
  const credit_note = {
    invoice_id: invoice,
    reason: "other",
    credit_amount_cents: 100,
    refund_amount_cents: 0,
    items: [{ fee_id: fee, amount_cents: 100 }],
  };
  const note = (await call("POST", "/credit_notes", { credit_note })).body.credit_note.svc_id;
  const wallet = { external_customer_id: life.customer, rate_amount: "1", currency: "EUR", granted_credits: "50" };
  expect((await call("POST", "/wallets", { wallet })).status).toBe(200);
  const { test_clock_id: clock } = (await call("GET", `/customers/${encodeURIComponent(life.customer)}`)).body.customer;
  return { ...life, clock, invoice, fee, note };
}

const feesOf = async (subscription: string) =>
  (await call("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}`)).body.fees.map(
    ({ amount_cents, item }: { amount_cents: number; item: { code: string } }) => [item.code, amount_cents],
  );

/** Every consumer of events is up to date. */
async function expectAllFollowed(): Promise<void> {
  expect(await platform.consumeFor(organizationId)).toBe(false);
}

test("events that were sent before the clock was deleted block no other customer", async () => {
  const gone = await makeLife();
  const other = await makeLife();
  await drain();
  await gone.advanceTo("2024-02-02T00:00:00Z");
  await gone.send("calls", { timestamp: "2024-02-01T12:00:00Z" });
  await gone.send("jobs", { timestamp: "2024-02-01T12:00:00Z" });
  expect((await call("DELETE", `/test_clocks/${gone.clock}`)).status).toBe(200);
  await other.send("calls", {});
  await drain();
  await expectAllFollowed();
  // 1.00 for the call of February; January was 10.00.
  expect(await feesOf(other.subscription)).toContainEqual([other.metricCode("calls"), 100]);
  await other.advanceTo("2024-03-01T00:00:00Z");
  // The usage of the deleted customer is billed too: it was accepted while the clock existed.
  expect(await feesOf(gone.subscription)).toContainEqual([gone.metricCode("calls"), 100]);
});

test("documents of its customers stay readable; the customers are gone", async () => {
  const { clock, customer, invoice, fee, note, subscription } = await makeLife();
  await call("DELETE", `/test_clocks/${clock}`);
  await drain();
  expect((await call("GET", `/customers/${encodeURIComponent(customer)}`)).body.code).toBe("customer_not_found");
  for (const path of [
    `/invoices/${invoice}`,
    `/invoices/${invoice}/explanation`,
    `/invoices/${invoice}/verification`,
    `/fees/${fee}`,
    `/fees/${fee}/explanation`,
    `/credit_notes/${note}`,
    `/invoices?external_customer_id=${encodeURIComponent(customer)}`,
    `/fees?external_subscription_id=${encodeURIComponent(subscription)}`,
    `/events?external_subscription_id=${encodeURIComponent(subscription)}`,
    "/wallets",
    "/subscriptions",
    "/credit_notes",
  ]) {
    const { status, text } = await call("GET", path);
    expect([path, status], text).toEqual([path, 200]);
  }
  const download = await call("POST", `/invoices/${invoice}/download`);
  expect(download.status, download.text).toBe(202);
});

test("an invoice of such a customer can still be paid and voided, at the time at which the clock was deleted", async () => {
  const { customer, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: { amount_cents: 1000 },
  });
  await advanceTo("2024-02-01T00:00:00Z");
  const { test_clock_id } = (await call("GET", `/customers/${encodeURIComponent(customer)}`)).body.customer;
  const path = `/invoices?external_customer_id=${encodeURIComponent(customer)}`;
  const january = (await call("GET", path)).body.invoices.find(
    ({ total_amount_cents }: { total_amount_cents: number }) => total_amount_cents === 1000,
  );
  await call("DELETE", `/test_clocks/${test_clock_id}`);
  await drain();
  const failed = await call("PUT", `/invoices/${january.svc_id}`, { invoice: { payment_status: "failed" } });
  expect(failed.status, failed.text).toBe(200);
  const voided = await call("POST", `/invoices/${january.svc_id}/void`);
  expect(voided.body.invoice, voided.text).toMatchObject({ status: "voided", issuing_date: "2024-02-01" });
  await drain();
  await expectAllFollowed();
});

test("all customers of a deleted clock are 404 at once, even if a job deletes the last of them later", async () => {
  const { body } = await call("POST", "/test_clocks", { test_clock: { name: "many", now: "2024-01-01T00:00:00Z" } });
  const { svc_id } = body.test_clock;
  for (let number = 0; number < 102; number++)
    await call("POST", "/customers", { customer: { external_id: `of many ${number}`, test_clock_id: svc_id } });
  await call("DELETE", `/test_clocks/${svc_id}`);
  expect((await call("GET", "/customers/of%20many%20101")).body.code).toBe("customer_not_found");
  const { customers } = (await call("GET", "/customers?per_page=1000")).body;
  expect(customers.filter(({ external_id }: { external_id: string }) => external_id.startsWith("of many"))).toEqual([]);
  const late = { customer: { external_id: "late", test_clock_id: svc_id } };
  expect((await call("POST", "/customers", late)).body.code).toBe("test_clock_not_found");
  await drain();
  const again = await call("POST", "/customers", { customer: { external_id: "of many 101" } });
  expect(again.body.customer.test_clock_id).toBeNull();
});
