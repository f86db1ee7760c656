import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const { platform, call, drain } = await startTallystick();

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

for (const [code, rate] of [
  ["tenth", "10"],
  ["none", "0"],
] as const)
  await must(call("POST", "/taxes", { tax: { name: code, code, rate } }));
const add_on = { name: "Setup", code: "setup", amount_cents: 9000, amount_currency: "EUR" };
await must(call("POST", "/add_ons", { add_on }));
const amount = { coupon_type: "fixed_amount", amount_cents: 1000, amount_currency: "EUR", frequency: "once" };
await must(
  call("POST", "/coupons", { coupon: { name: "Ten off", code: "ten", expiration: "no_expiration", ...amount } }),
);

/** A month of 200.00 with 10 % tax, a coupon of 10.00, a credit note of 50.00, and a wallet. */
async function givenCredits(granted_credits: string) {
  const subscribed = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: { amount_cents: 20_000 },
    customer: { tax_codes: ["tenth"] },
  });
  const external_customer_id = subscribed.customer;
  await must(call("POST", "/applied_coupons", { applied_coupon: { external_customer_id, coupon_code: "ten" } }));
  const fees = [{ add_on_code: "setup", tax_codes: ["none"] }];
  const { invoice } = await must(call("POST", "/invoices", { invoice: { external_customer_id, fees } }));
  const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 5000 }];
  const request = { invoice_id: invoice.svc_id, credit_amount_cents: 5000, items };
  const { credit_note } = await must(call("POST", "/credit_notes", { credit_note: request }));
  const { wallet } = await must(
    call("POST", "/wallets", { wallet: { external_customer_id, rate_amount: "1", granted_credits } }),
  );
  return { ...subscribed, note: credit_note, wallet: wallet.svc_id as string };
}

type Given = Awaited<ReturnType<typeof givenCredits>>;

const preview = async ({ subscription }: Given) =>
  (await must(call("POST", "/invoices/preview", { invoice: { external_subscription_id: subscription } }))).invoice;

async function billed({ customer, advanceTo }: Given) {
  await advanceTo("2024-02-01T00:00:00Z");
  const path = `/invoices?external_customer_id=${encodeURIComponent(customer)}&invoice_type=subscription`;
  const [invoice] = (await must(call("GET", path))).invoices;
  return (await must(call("GET", `/invoices/${invoice.svc_id}`))).invoice;
}

/** The remaining balance of each. */
async function left({ customer, note, wallet }: Given) {
  const path = `/applied_coupons?external_customer_id=${encodeURIComponent(customer)}`;
  const [coupon] = (await must(call("GET", path))).applied_coupons;
  const { credit_note } = await must(call("GET", `/credit_notes/${note.svc_id}`));
  const { balance_cents, consumed_credits } = (await must(call("GET", `/wallets/${wallet}`))).wallet;
  return {
    coupon: [coupon.status, coupon.amount_cents_remaining],
    note: [credit_note.credit_status, credit_note.balance_amount_cents],
    wallet: [balance_cents, consumed_credits],
  };
}

const ALL = { coupon: ["active", 1000], note: ["available", 5000], wallet: [30_000, "0.0"] };

test("coupons apply before taxes, then credit notes, then wallets; a preview shows it, and a void returns everything", async () => {
  const given = await givenCredits("300");
  const used = {
    fees_amount_cents: 20_000,
    coupons_amount_cents: 1000,
    sub_total_excluding_taxes_amount_cents: 19_000,
    taxes_amount_cents: 1900,
    sub_total_including_taxes_amount_cents: 20_900,
    credit_notes_amount_cents: 5000,
    prepaid_credit_amount_cents: 15_900,
    total_amount_cents: 0,
    payment_status: "succeeded",
    credits: [
      { amount_cents: 1000, before_taxes: true, item: { type: "coupon", code: "ten", name: "Ten off" } },
      { amount_cents: 5000, before_taxes: false, item: { type: "credit_note", code: given.note.number } },
    ],
  };
  expect(await preview(given)).toMatchObject(used);
  expect(await left(given)).toEqual(ALL);

  const invoice = await billed(given);
  expect(invoice).toMatchObject(used);
  expect(await left(given)).toEqual({
    coupon: ["terminated", 0],
    note: ["consumed", 0],
    wallet: [14_100, "159.0"],
  });

  await must(call("PUT", `/invoices/${invoice.svc_id}`, { invoice: { payment_status: "failed" } }));
  const { invoice: voided } = await must(call("POST", `/invoices/${invoice.svc_id}/void`));
  expect(voided).toMatchObject({ ...used, status: "voided", payment_status: "failed" });
  expect(await left(given)).toEqual(ALL);
});

test("a wallet that is used up leaves the rest to be paid", async () => {
  const given = await givenCredits("100");
  expect(await billed(given)).toMatchObject({
    credit_notes_amount_cents: 5000,
    prepaid_credit_amount_cents: 10_000,
    total_amount_cents: 5900,
    payment_status: "pending",
  });
  expect((await left(given)).wallet).toEqual([0, "100.0"]);
});

test("afterwards every invariant holds", async () => {
  await drain();
  const findings = await verify(platform.config.DATABASE_URL, { now: platform.clock.now() });
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
