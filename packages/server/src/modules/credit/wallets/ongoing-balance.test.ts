import { describe, expect, test, vi } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscriptionRequest, subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const outbox: { type: string; object: Answer["body"] }[] = [];
const { platform, call, drain, startWorker } = await startTallystick({
  settings: { SETTLE_DELAY_SECONDS: "600" },
  subscribers: [
    async (_tx, { webhookType, payload }) => {
      const { object_type, ...message } = JSON.parse(payload);
      outbox.push({ type: webhookType, object: message[object_type] });
    },
  ],
});

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const makeWallet = async (customer: string, members: object = {}) =>
  (await must(call("POST", "/wallets", { wallet: { external_customer_id: customer, rate_amount: "1", ...members } })))
    .wallet.svc_id;
const show = async (id: string) => (await must(call("GET", `/wallets/${id}`))).wallet;
const transactionsOf = async (id: string, query = "") =>
  (await must(call("GET", `/wallets/${id}/wallet_transactions${query}`))).wallet_transactions;
const invoicesOf = async (customer: string, query = "") =>
  (await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}${query}`))).invoices;
const depletions = (id: string) =>
  outbox.filter(({ type, object }) => type === "wallet.depleted_ongoing_balance" && object.svc_id === id);

/** 1.00 for each unit, in arrears. */
const metered = (request: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  now: "2024-01-01T00:00:00Z",
  metrics: { units: { aggregation_type: "sum_agg", field_name: "count" } },
  charges: [{ metric: "units", properties: { amount: "1" } }],
  ...request,
});
const fixed = (paid: string, granted: string) => ({ method: "fixed", paid_credits: paid, granted_credits: granted });

describe("the ongoing balance", () => {
  test("is what is left after the usage of the open period, taxes included", async () => {
    await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } }));
    const { customer, send } = await subscribeCustomer(call, metered({ customer: { tax_codes: ["vat"] } }));
    const wallet = await makeWallet(customer, { granted_credits: "50", rate_amount: "2" });
    await send("units", { count: 30 });
    await drain();
    expect(await show(wallet)).toMatchObject({
      balance_cents: 10000,
      ongoing_usage_balance_cents: 3600,
      credits_ongoing_usage_balance: "18.0",
      ongoing_balance_cents: 6400,
      credits_ongoing_balance: "32.0",
      last_balance_sync_at: "2024-01-01T00:00:00Z",
    });
  });

  test("with several wallets, each covers what it can pay, and the last one covers the rest", async () => {
    const { customer, send } = await subscribeCustomer(call, metered());
    const last = await makeWallet(customer, { granted_credits: "5" });
    const first = await makeWallet(customer, { granted_credits: "10", priority: 1 });
    await send("units", { count: 22 });
    await drain();
    expect((await show(first)).ongoing_balance_cents).toBe(0);
    expect((await show(last)).ongoing_balance_cents).toBe(-700);
    await must(call("DELETE", `/wallets/${first}`));
    await drain();
    expect((await show(last)).ongoing_balance_cents).toBe(-1700);
  });

  test("counts a draft until it is finalized, and does not count charges in advance", async () => {
    const input = metered({ customer: { billing_configuration: { invoice_grace_period: 3 } } });
    const inAdvance = { metric: "seats", pay_in_advance: true, properties: { amount: "5" } };
    const { customer, send, advanceTo } = await subscribeCustomer(call, {
      ...input,
      metrics: { ...input.metrics, seats: { aggregation_type: "count_agg" } },
      charges: [...input.charges, inAdvance],
    });
    const wallet = await makeWallet(customer, { granted_credits: "100" });
    await send("units", { count: 10 });
    await send("seats", {});
    await drain();
    expect(await show(wallet)).toMatchObject({ balance_cents: 9500, ongoing_balance_cents: 8500 });
    await advanceTo("2024-02-02T00:00:00Z");
    expect(await show(wallet)).toMatchObject({ balance_cents: 9500, ongoing_balance_cents: 8500 });
    await advanceTo("2024-02-05T00:00:00Z");
    expect(await show(wallet)).toMatchObject({ balance_cents: 8500, ongoing_balance_cents: 8500 });
  });

  test("follows voided invoices and voided credits", async () => {
    const { customer, send, advanceTo } = await subscribeCustomer(call, metered());
    const wallet = await makeWallet(customer, { granted_credits: "20" });
    await send("units", { count: 30 });
    await advanceTo("2024-02-01T00:00:00Z");
    expect(await show(wallet)).toMatchObject({ balance_cents: 0, ongoing_balance_cents: 0 });
    const [invoice] = await invoicesOf(customer);
    await must(call("POST", `/invoices/${invoice.svc_id}/void`));
    await drain();
    expect(await show(wallet)).toMatchObject({ balance_cents: 2000, ongoing_balance_cents: 2000 });
    await must(
      call("POST", "/wallet_transactions", { wallet_transaction: { wallet_id: wallet, voided_credits: "20" } }),
    );
    await drain();
    expect(depletions(wallet)).toHaveLength(2);
  });
});

test("depletion is published when it happens, and again only after the balance was above zero", async () => {
  const { customer, send } = await subscribeCustomer(call, metered());
  const wallet = await makeWallet(customer, { granted_credits: "10" });
  const use = async (count: number) => {
    await send("units", { count });
    await drain();
    return depletions(wallet).length;
  };
  expect(await use(9)).toBe(0);
  expect(await use(1)).toBe(1);
  expect(depletions(wallet)[0]?.object).toMatchObject({ ongoing_balance_cents: 0, balance_cents: 1000 });
  expect(await use(1)).toBe(1);
  await must(call("POST", "/wallet_transactions", { wallet_transaction: { wallet_id: wallet, granted_credits: "5" } }));
  await drain();
  expect(depletions(wallet)).toHaveLength(1);
  expect(await use(4)).toBe(2);
});

test("a worker notices usage even if no client reads the wallet, also on the real clock", async () => {
  const customer = "on the real clock";
  await must(call("POST", "/customers", { customer: { external_id: customer, currency: "EUR" } }));
  const metric = { name: "Units", code: "real units", aggregation_type: "sum_agg", field_name: "count" };
  const { svc_id } = (await must(call("POST", "/billable_metrics", { billable_metric: metric }))).billable_metric;
  const charge = { billable_metric_id: svc_id, charge_model: "standard", properties: { amount: "1" } };
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await must(call("POST", "/plans", { plan: { name: "Real", code: "real", ...terms, charges: [charge] } }));
  const subscription = { external_customer_id: customer, external_id: "real", plan_code: "real" };
  await must(call("POST", "/subscriptions", { subscription }));
  const rule = { trigger: "threshold", threshold_credits: "0", ...fixed("0", "7") };
  const wallet = await makeWallet(customer, { granted_credits: "3", recurring_transaction_rules: [rule] });
  await drain();
  const worker = await startWorker();
  const event = { transaction_id: "real", external_subscription_id: "real", code: "real units" };
  await must(call("POST", "/events", { event: { ...event, properties: { count: 3 } } }));
  await vi.waitFor(() => expect(depletions(wallet)).toHaveLength(1), { timeout: 20_000 });
  await worker.stop();
  expect(await show(wallet)).toMatchObject({ balance_cents: 1000, ongoing_balance_cents: 700 });
});

describe("a rule by threshold", () => {
  const threshold = (credits: string, method: object) => ({
    recurring_transaction_rules: [{ trigger: "threshold", threshold_credits: credits, ...method }],
  });

  test("buys once: a pending purchase counts until it is paid and used", async () => {
    const { customer, send } = await subscribeCustomer(call, metered());
    const wallet = await makeWallet(customer, { granted_credits: "20", ...threshold("10", fixed("50", "0")) });
    const use = async (count: number) => {
      await send("units", { count });
      await drain();
      return transactionsOf(wallet, "?transaction_status=purchased");
    };
    expect(await use(9)).toEqual([]);
    expect(await use(3)).toMatchObject([{ status: "pending", source: "threshold", credit_amount: "50.0" }]);
    expect(await use(1)).toHaveLength(1);
    const [invoice] = await invoicesOf(customer, "&invoice_type=credit");
    await must(call("PUT", `/invoices/${invoice.svc_id}`, { invoice: { payment_status: "succeeded" } }));
    await drain();
    expect(await show(wallet)).toMatchObject({ balance_cents: 7000, ongoing_balance_cents: 5700 });
    expect(await use(46)).toHaveLength(1);
    expect(await use(1)).toHaveLength(2);
  });

  test("fires once for a measurement, even if it buys too little", async () => {
    const { customer, send } = await subscribeCustomer(call, metered());
    const wallet = await makeWallet(customer, { granted_credits: "5", ...threshold("10", fixed("1", "0")) });
    await drain();
    expect(await transactionsOf(wallet, "?transaction_status=purchased")).toHaveLength(1);
    await send("units", { count: 1 });
    await drain();
    expect(await transactionsOf(wallet, "?transaction_status=purchased")).toHaveLength(2);
  });

  test("brings the ongoing balance up to a target", async () => {
    const { customer, send } = await subscribeCustomer(call, metered());
    const target = { method: "target", target_ongoing_balance: "200" };
    const wallet = await makeWallet(customer, { granted_credits: "20", ...threshold("10", target) });
    await send("units", { count: 12 });
    await drain();
    expect(await transactionsOf(wallet, "?status=pending")).toMatchObject([{ amount: "192.0" }]);
  });

  test("fires at the instant of the invoice that lowered the balance, each month of one advance", async () => {
    const { customer, advanceTo } = await subscribeCustomer(call, metered({ plan: { amount_cents: 3100 } }));
    const wallet = await makeWallet(customer, { granted_credits: "40", ...threshold("10", fixed("0", "31")) });
    await advanceTo("2024-06-15T00:00:00Z");
    const added = await transactionsOf(wallet, "?transaction_status=granted");
    const instants = added.map((one: { created_at: string }) => one.created_at.slice(0, 10)).toReversed();
    expect(instants).toEqual(["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01", "2024-05-01", "2024-06-01"]);
    const totals = (await invoicesOf(customer)).map((one: { total_amount_cents: number }) => one.total_amount_cents);
    expect(totals).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("a rule by interval", () => {
  const every = (interval: string, method: object) => ({
    recurring_transaction_rules: [{ trigger: "interval", interval, ...method }],
  });
  const days = async (wallet: string, kind: string) =>
    (await transactionsOf(wallet, `?transaction_status=${kind}`))
      .filter((one: { source: string }) => one.source === "interval")
      .map((one: { created_at: string }) => one.created_at)
      .toReversed();

  test("tops up as days begin in the customer's zone, and a move repeats no day", async () => {
    const options = metered({ now: "2024-01-30T20:00:00Z", customer: { timezone: "Asia/Tokyo" } });
    const { customer, advanceTo } = await subscribeCustomer(call, options);
    const wallet = await makeWallet(customer, { granted_credits: "1", ...every("monthly", {}) });
    await advanceTo("2024-02-28T15:00:00Z");
    await must(call("POST", "/customers", { customer: { external_id: customer, timezone: "America/Los_Angeles" } }));
    await advanceTo("2024-05-02T00:00:00Z");
    expect(await days(wallet, "granted")).toEqual([
      "2024-02-28T15:00:00Z",
      "2024-03-30T07:00:00Z",
      "2024-04-30T07:00:00Z",
    ]);
  });

  test("buys up to its target after the invoice of the day", async () => {
    const { customer, send, advanceTo } = await subscribeCustomer(call, metered());
    const target = { method: "target", target_ongoing_balance: "50" };
    const wallet = await makeWallet(customer, { granted_credits: "50", ...every("monthly", target) });
    await send("units", { count: 12 });
    await advanceTo("2024-02-01T00:00:00Z");
    expect(await transactionsOf(wallet, "?transaction_status=purchased")).toMatchObject([
      { amount: "12.0", source: "interval", status: "pending", created_at: "2024-02-01T00:00:00Z" },
    ]);
  });

  test("is replaced as a whole, removed, and ends with its wallet", async () => {
    const { customer, advanceTo } = await subscribeCustomer(call, metered());
    const wallet = await makeWallet(customer, { granted_credits: "1", ...every("weekly", fixed("0", "1")) });
    const change = (members: object) => must(call("PUT", `/wallets/${wallet}`, { wallet: members }));
    const [before] = (await show(wallet)).recurring_transaction_rules;
    expect(before).toMatchObject({ trigger: "interval", interval: "weekly", granted_credits: "1.0", method: "fixed" });
    await advanceTo("2024-01-08T00:00:00Z");
    const { wallet: changed } = await change(every("monthly", {}));
    expect(changed.recurring_transaction_rules).toMatchObject([{ interval: "monthly", granted_credits: "1.0" }]);
    await advanceTo("2024-02-02T00:00:00Z");
    expect(await days(wallet, "granted")).toEqual(["2024-01-08T00:00:00Z", "2024-02-01T00:00:00Z"]);
    expect((await change({ recurring_transaction_rules: [] })).wallet.recurring_transaction_rules).toEqual([]);
    await advanceTo("2024-03-02T00:00:00Z");
    await change(every("weekly", fixed("0", "1")));
    await must(call("DELETE", `/wallets/${wallet}`));
    await advanceTo("2024-04-01T00:00:00Z");
    expect(await days(wallet, "granted")).toHaveLength(2);
  });
});

test("afterwards every invariant holds", async () => {
  await drain();
  const findings = await verify(platform.config.DATABASE_URL, { now: platform.clock.now() });
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
