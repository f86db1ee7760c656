// Lists by external_customer_id after the customer was deleted: documents stay, what the customer had does not.
import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { call } = await startTallystick();

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const LISTS = {
  invoices: "/invoices?",
  fees: "/fees?",
  credit_notes: "/credit_notes?",
  applied_coupons: "/applied_coupons?",
  wallets: "/wallets?",
  subscriptions: "/subscriptions?status[]=active&status[]=terminated&",
};

/** How many each list has of an external id. */
async function countAll(customer: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, path] of Object.entries(LISTS)) {
    const body = await must(call("GET", `${path}external_customer_id=${encodeURIComponent(customer)}`));
    counts[name] = body[name].length;
  }
  return counts;
}

test("invoices, fees and credit notes are listed by the external_id of a deleted customer; coupons, wallets and subscriptions are not", async () => {
  const { customer } = await subscribeCustomer(call, {
    now: "2024-02-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: { amount_cents: 10_000, pay_in_advance: true },
  });
  const [invoice] = (await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`)))
    .invoices;
  const { fees } = (await must(call("GET", `/invoices/${invoice.svc_id}`))).invoice;
  const credit_note = {
    invoice_id: invoice.svc_id,
    credit_amount_cents: 100,
    items: [{ fee_id: fees[0].svc_id, amount_cents: 100 }],
  };
  await must(call("POST", "/credit_notes", { credit_note }));
  const coupon = {
    name: "Ten",
    code: "ten",
    coupon_type: "percentage",
    percentage_rate: "10",
    frequency: "forever",
    expiration: "no_expiration",
  };
  await must(call("POST", "/coupons", { coupon }));
  const applied_coupon = { external_customer_id: customer, coupon_code: "ten" };
  await must(call("POST", "/applied_coupons", { applied_coupon }));
  const wallet = { external_customer_id: customer, rate_amount: "1", currency: "EUR" };
  await must(call("POST", "/wallets", { wallet }));
  const one = { invoices: 1, fees: 1, credit_notes: 1, applied_coupons: 1, wallets: 1, subscriptions: 1 };
  expect(await countAll(customer)).toEqual(one);
  await must(call("DELETE", `/customers/${encodeURIComponent(customer)}`));
  const after = await countAll(customer);
  expect(after).toMatchObject({ applied_coupons: 0, wallets: 0, subscriptions: 0 });
  expect(after.invoices).toBeGreaterThan(0);
  expect(after.fees).toBeGreaterThan(0);
  expect(after.credit_notes).toBeGreaterThan(0);
});
