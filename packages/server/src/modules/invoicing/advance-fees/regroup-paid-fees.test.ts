import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";

const { call, drain } = await startTallystick({ organizations: 1 });

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "10" } }));

const request = (more: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  now: "2024-01-01T00:00:00Z",
  metrics: { calls: { aggregation_type: "count_agg" } },
  charges: [
    {
      metric: "calls",
      pay_in_advance: true,
      invoiceable: false,
      regroup_paid_fees: "invoice",
      properties: { amount: "0.15" },
      tax_codes: ["vat"],
    },
  ],
  ...more,
});
const feesOf = async ({ subscription }: SubscribedCustomer) =>
  (await must(call("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}&fee_type=charge`))).fees;
const regroupedOf = async ({ customer }: SubscribedCustomer) => {
  const query = `external_customer_id=${encodeURIComponent(customer)}&invoice_type=advance_charges`;
  const { invoices } = await must(call("GET", `/invoices?${query}`));
  const shown: Answer["body"][] = [];
  for (const { svc_id } of invoices.toReversed()) shown.push((await must(call("GET", `/invoices/${svc_id}`))).invoice);
  return shown;
};
const pay = (id: string) => must(call("PUT", `/fees/${id}`, { fee: { payment_status: "succeeded" } }));

test("paid fees of a period are on one invoice when it ends; later payments are on the next one, unpaid fees on none", async () => {
  const acme = await subscribeCustomer(call, request());
  await acme.send("calls", {}, {}, {}, {});
  await drain();
  const [first, second, third] = await feesOf(acme);
  await pay(first.svc_id);
  await pay(second.svc_id);
  await acme.advanceTo("2024-01-31T23:59:59Z");
  expect(await regroupedOf(acme)).toEqual([]);
  await acme.advanceTo("2024-02-01T00:00:00Z");
  const [invoice, ...others] = await regroupedOf(acme);
  expect(others).toEqual([]);
  // 15 cents and 1.5 cents of taxes, each rounded when the fee was created: nothing is recomputed.
  expect(invoice).toMatchObject({
    status: "finalized",
    payment_status: "succeeded",
    payment_overdue: false,
    issuing_date: "2024-02-01",
    fees_amount_cents: 30,
    taxes_amount_cents: 4,
    total_amount_cents: 34,
    applied_taxes: [{ tax_code: "vat", amount_cents: 4, fees_amount_cents: 30 }],
    subscriptions: [{ external_id: acme.subscription }],
    fees: [{ svc_id: first.svc_id }, { svc_id: second.svc_id }],
  });
  const refused = await call("PUT", `/fees/${first.svc_id}`, { fee: { payment_status: "refunded" } });
  expect(refused.body).toMatchObject({ code: "invoiced_fee" });
  await pay(third.svc_id);
  await acme.advanceTo("2024-03-01T00:00:00Z");
  expect((await regroupedOf(acme)).map(({ fees }) => fees.length)).toEqual([2, 1]);
  await acme.advanceTo("2024-04-01T00:00:00Z");
  expect(await regroupedOf(acme)).toHaveLength(2);
});

test("the end of a subscription regroups its last paid fees, in the middle of their period", async () => {
  const acme = await subscribeCustomer(call, request());
  await acme.send("calls", {});
  await drain();
  const [fee] = await feesOf(acme);
  await pay(fee.svc_id);
  await acme.advanceTo("2024-01-10T00:00:00Z");
  await must(call("DELETE", `/subscriptions/${encodeURIComponent(acme.subscription)}`));
  await drain();
  expect(await regroupedOf(acme)).toMatchObject([{ issuing_date: "2024-01-10", fees: [{ svc_id: fee.svc_id }] }]);
});

test("recurring usage is renewed as a standalone fee when a period begins, and all paid fees are regrouped", async () => {
  const recurring = { aggregation_type: "unique_count_agg", field_name: "user", recurring: true };
  const { charges } = request();
  const acme = await subscribeCustomer(call, request({ metrics: { calls: recurring }, charges }));
  await acme.send("calls", { user: "A" }, { user: "B" });
  await acme.advanceTo("2024-03-01T00:00:00Z");
  const alone = await feesOf(acme);
  type Fee = { svc_id: string; units: string; from_date: string; event_transaction_id: string | null };
  expect(alone.map(({ units, from_date }: Fee) => `${from_date.slice(0, 10)}: ${units}`)).toEqual([
    "2024-01-01: 1.0",
    "2024-01-01: 1.0",
    "2024-02-01: 2.0",
    "2024-03-01: 2.0",
  ]);
  for (const { svc_id } of alone) await pay(svc_id);
  await acme.advanceTo("2024-04-01T00:00:00Z");
  expect(await regroupedOf(acme)).toMatchObject([{ fees_amount_cents: 15 + 15 + 30 + 30, fees: [{}, {}, {}, {}] }]);
});
