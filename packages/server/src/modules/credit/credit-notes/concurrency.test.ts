/** Finalizes many invoices of one customer concurrently: each credit is used once. Without the customer's lock these tests fail. */
import { expect, test, vi } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

vi.setConfig({ testTimeout: 60_000 });

const { call, platform } = await startTallystick({ settings: { DATABASE_CONNECTIONS: "20" } });

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const add_on = { name: "Setup", code: "setup", amount_cents: 5000, amount_currency: "EUR" };
await must(call("POST", "/add_ons", { add_on }));
await must(
  call("POST", "/coupons", {
    coupon: {
      name: "Ten",
      code: "ten",
      coupon_type: "fixed_amount",
      amount_cents: 1000,
      amount_currency: "EUR",
      frequency: "once",
      expiration: "no_expiration",
    },
  }),
);

const sum = (invoices: readonly Record<string, number>[], figure: string): number =>
  invoices.reduce((total, invoice) => total + (invoice[figure] ?? 0), 0);

/** Six drafts of 6.00 each, a note of 15.00, and by default a coupon of 10.00. */
async function givenDrafts({ hasCoupon = true } = {}) {
  const { customer, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: { amount_cents: 600 },
    customer: { billing_configuration: { invoice_grace_period: 300 } },
  });
  const applied_coupon = { external_customer_id: customer, coupon_code: "ten" };
  if (hasCoupon) await must(call("POST", "/applied_coupons", { applied_coupon }));
  const one = { external_customer_id: customer, fees: [{ add_on_code: "setup" }] };
  const { invoice } = await must(call("POST", "/invoices", { invoice: one }));
  const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 1500 }];
  const credit_note = { invoice_id: invoice.svc_id, credit_amount_cents: 1500, items };
  await must(call("POST", "/credit_notes", { credit_note }));
  await advanceTo("2024-07-01T00:00:00Z");
  const path = `/invoices?external_customer_id=${encodeURIComponent(customer)}&status=draft`;
  const { invoices } = await must(call("GET", path));
  expect(invoices).toHaveLength(6);
  return { customer, invoice, drafts: invoices as { svc_id: string }[] };
}

const finalizeAll = (drafts: readonly { svc_id: string }[]) =>
  Promise.all(drafts.map(async ({ svc_id }) => (await must(call("PUT", `/invoices/${svc_id}/finalize`))).invoice));

test("concurrently finalized invoices never use the same credit", async () => {
  const { drafts } = await givenDrafts();
  const invoices = await finalizeAll(drafts);
  expect(sum(invoices, "coupons_amount_cents")).toBe(1000);
  expect(sum(invoices, "credit_notes_amount_cents")).toBe(1500);
  expect(sum(invoices, "total_amount_cents")).toBe(1100);
});

test("the same holds with only a credit note, which has no row lock of its own", async () => {
  const { customer, drafts } = await givenDrafts({ hasCoupon: false });
  const invoices = await finalizeAll(drafts);
  expect(invoices.map((invoice) => invoice.credit_notes_amount_cents).toSorted()).toEqual([0, 0, 0, 300, 600, 600]);
  const path = `/credit_notes?external_customer_id=${encodeURIComponent(customer)}`;
  const [note] = (await must(call("GET", path))).credit_notes;
  expect(note).toMatchObject({ balance_amount_cents: 0, credit_status: "consumed" });
});

test("an invoice that is voided many times concurrently returns its credits once", async () => {
  const { customer, drafts } = await givenDrafts();
  await finalizeAll(drafts);
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`));
  // An invoice that the note paid in part.
  const shown = await Promise.all(
    invoices.map(async ({ svc_id }: { svc_id: string }) => (await must(call("GET", `/invoices/${svc_id}`))).invoice),
  );
  const partly = shown.find((one) => one.total_amount_cents > 0 && one.credit_notes_amount_cents > 0);
  const voids = await Promise.all(Array.from({ length: 10 }, () => call("POST", `/invoices/${partly.svc_id}/void`)));
  expect(voids.filter(({ status }) => status === 200)).toHaveLength(1);
  const path = `/credit_notes?external_customer_id=${encodeURIComponent(customer)}`;
  const [note] = (await must(call("GET", path))).credit_notes;
  expect(note.balance_amount_cents).toBe(partly.credit_notes_amount_cents);
});

test("concurrently created notes never credit more than is left", async () => {
  const { invoice } = await givenDrafts();
  const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 2000 }];
  const credit_note = { invoice_id: invoice.svc_id, credit_amount_cents: 2000, items };
  const answers = await Promise.all(Array.from({ length: 6 }, () => call("POST", "/credit_notes", { credit_note })));
  // The first note left 35.00 of 50.00.
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422, 422, 422]);
});

test("afterwards every invariant holds", async () => {
  const findings = await verify(platform.config.DATABASE_URL);
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
