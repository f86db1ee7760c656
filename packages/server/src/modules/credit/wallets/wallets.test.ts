import { describe, expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscriptionRequest, subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const outbox: { type: string; object: Answer["body"] }[] = [];
let ahead = { seconds: 0 };
const { platform, call, drain, organizations } = await startTallystick({
  clock: { now: () => systemClock.now().add(ahead) },
  subscribers: [
    async (_tx, { webhookType, payload }) => {
      const { object_type, ...message } = JSON.parse(payload);
      outbox.push({ type: webhookType, object: message[object_type] });
    },
  ],
});
const theirs = { key: organizations[1]?.key ?? "" };

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const refused = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return { status, details: body.error_details ?? body.code };
};

let marks = 0;
/** By default on a test clock at the start of 2024. */
async function makeCustomer(members: object = {}): Promise<{ customer: string; clock: string }> {
  const customer = `holder ${++marks}`;
  const clock = { test_clock: { name: customer, now: "2024-01-01T00:00:00Z" } };
  const { svc_id } = (await must(call("POST", "/test_clocks", clock))).test_clock;
  await must(
    call("POST", "/customers", {
      customer: { external_id: customer, currency: "EUR", test_clock_id: svc_id, ...members },
    }),
  );
  return { customer, clock: svc_id };
}
const advance = (clock: string, now: string) =>
  must(call("POST", `/test_clocks/${clock}/advance`, { test_clock: { now } }));
const makeWallet = async (customer: string, members: object = {}) =>
  (await must(call("POST", "/wallets", { wallet: { external_customer_id: customer, rate_amount: "1", ...members } })))
    .wallet;
const show = async (id: string) => (await must(call("GET", `/wallets/${id}`))).wallet;
const topUp = (id: string, members: object) =>
  call("POST", "/wallet_transactions", { wallet_transaction: { wallet_id: id, ...members } });
const transactionsOf = async (id: string, query = "") =>
  (await must(call("GET", `/wallets/${id}/wallet_transactions${query}`))).wallet_transactions;
const invoicesOf = async (customer: string, query = "") =>
  (await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}${query}`))).invoices;
const pay = (id: string, payment_status = "succeeded") =>
  call("PUT", `/invoices/${id}`, { invoice: { payment_status } });
const published = async (type: string, id: string) => {
  await drain();
  return outbox.filter((message) => message.type === type && message.object.svc_id === id);
};

test("granted credits count at once; purchased credits wait for the payment of an invoice without taxes", async () => {
  await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } }));
  const { customer } = await makeCustomer({ tax_codes: ["vat"], net_payment_term: 5 });
  const wallet = await makeWallet(customer, {
    name: "Prepaid",
    rate_amount: "2",
    paid_credits: "10",
    granted_credits: "3.5",
    expiration_at: "2025-01-01",
  });
  expect(wallet).toMatchObject({
    external_customer_id: customer,
    status: "active",
    currency: "EUR",
    name: "Prepaid",
    rate_amount: "2.0",
    priority: 50,
    credits_balance: "3.5",
    balance_cents: 700,
    consumed_credits: "0.0",
    expiration_at: "2025-01-01T00:00:00Z",
    terminated_at: null,
    created_at: "2024-01-01T00:00:00Z",
    recurring_transaction_rules: [],
  });
  const [granted, purchased, ...others] = await transactionsOf(wallet.svc_id);
  expect(others).toEqual([]);
  expect(granted).toMatchObject({ transaction_status: "granted", status: "settled", amount: "7.0", source: "manual" });
  expect(purchased).toMatchObject({
    transaction_status: "purchased",
    transaction_type: "inbound",
    status: "pending",
    amount: "20.0",
    credit_amount: "10.0",
    settled_at: null,
  });
  const [{ svc_id }, ...more] = await invoicesOf(customer);
  expect(more).toEqual([]);
  expect(purchased.svc_invoice_id).toBe(svc_id);
  const { invoice } = await must(call("GET", `/invoices/${svc_id}`));
  expect(invoice).toMatchObject({
    invoice_type: "credit",
    status: "finalized",
    payment_status: "pending",
    sequential_id: 1,
    issuing_date: "2024-01-01",
    payment_due_date: "2024-01-06",
    fees_amount_cents: 2000,
    taxes_amount_cents: 0,
    total_amount_cents: 2000,
    fees: [
      {
        item: { type: "credit", code: "credit", name: "Prepaid", item_type: "WalletTransaction" },
        units: "10.0",
        precise_unit_amount: "2.0",
        amount_cents: 2000,
        taxes_amount_cents: 0,
      },
    ],
  });
  expect(await published("invoice.paid_credit_added", svc_id)).toHaveLength(1);
  const [message, ...again] = await published("wallet_transaction.created", purchased.svc_id);
  expect(again).toEqual([]);
  expect(message?.object).toMatchObject({ status: "pending", wallet: { svc_id: wallet.svc_id } });
});

test("wallets are listed by customer and currency, only in their own organization", async () => {
  const { customer } = await makeCustomer();
  const first = await makeWallet(customer);
  const second = await makeWallet(customer, { name: "second" });
  const list = (query: string, options = {}) => call("GET", `/wallets?${query}`, undefined, options);
  const of = `external_customer_id=${encodeURIComponent(customer)}`;
  const { wallets, meta } = await must(list(of));
  expect(wallets.map((wallet: { svc_id: string }) => wallet.svc_id)).toEqual([second.svc_id, first.svc_id]);
  expect(meta.total_count).toBe(2);
  expect((await must(list(`${of}&currency=USD`))).wallets).toEqual([]);
  expect((await must(list(of, theirs))).wallets).toEqual([]);
  expect((await call("GET", `/wallets/${first.svc_id}`, undefined, theirs)).body.code).toBe("wallet_not_found");
  const body = { wallet_transaction: { wallet_id: first.svc_id, granted_credits: "1" } };
  expect(await refused(call("POST", "/wallet_transactions", body, theirs))).toMatchObject({
    status: 422,
    details: { wallet_id: ["wallet_not_found"] },
  });
  expect((await call("GET", `/wallets/${first.svc_id}/wallet_transactions`, undefined, theirs)).status).toBe(404);
  await must(topUp(first.svc_id, { granted_credits: "1" }));
  const transactions = await transactionsOf(first.svc_id);
  expect(transactions).not.toEqual([]);
  for (const listed of transactions) {
    const path = `/wallet_transactions/${listed.svc_id}`;
    expect((await must(call("GET", path))).wallet_transaction).toEqual(listed);
    expect((await call("GET", path, undefined, theirs)).body.code).toBe("wallet_transaction_not_found");
  }
});

describe("what is refused", () => {
  const CASES: readonly [what: string, members: object, details: object][] = [
    ["an unknown customer", { external_customer_id: "nobody" }, { customer: ["customer_not_found"] }],
    ["no customer", { external_customer_id: null }, { external_customer_id: ["value_is_mandatory"] }],
    ["a rate of 0", { rate_amount: "0" }, { rate_amount: ["value_is_out_of_range"] }],
    ["another currency than the customer's", { currency: "USD" }, { currency: ["currencies_does_not_match"] }],
    ["no number", { paid_credits: "x" }, { paid_credits: ["invalid_paid_credits", "invalid_amount"] }],
    ["less than half a cent", { granted_credits: "0.001" }, { granted_credits: ["amount_rounds_to_zero"] }],
    ["an end in the past", { expiration_at: "2023-12-31T00:00:00Z" }, { expiration_at: ["invalid_date"] }],
    ["a priority of 51", { priority: 51 }, { priority: ["value_is_out_of_range"] }],
    [
      "two rules",
      { recurring_transaction_rules: [{}, {}] },
      { recurring_transaction_rules: ["invalid_number_of_recurring_rules"] },
    ],
    [
      "a rule without interval",
      { recurring_transaction_rules: [{ trigger: "interval" }] },
      { recurring_transaction_rules: ["invalid_recurring_rule"] },
    ],
  ];
  test.each(CASES)("%s", async (_, members, details) => {
    const { customer } = await makeCustomer();
    const wallet = { external_customer_id: customer, rate_amount: "1", granted_credits: "1", ...members };
    expect(await refused(call("POST", "/wallets", { wallet }))).toMatchObject({ status: 422, details });
    expect(await invoicesOf(customer)).toEqual([]);
  });

  test("voiding more than the balance, invalid credits, and any change of a terminated wallet", async () => {
    const { customer } = await makeCustomer();
    const { svc_id } = await makeWallet(customer, { granted_credits: "10" });
    const details = async (members: object) => (await refused(topUp(svc_id, members))).details;
    expect(await details({ voided_credits: "10.01" })).toEqual({ voided_credits: ["insufficient_credits"] });
    expect(await details({ voided_credits: "-1" })).toEqual({ voided_credits: ["invalid_voided_credits"] });
    await must(topUp(svc_id, { voided_credits: "4", granted_credits: "1" }));
    expect(await show(svc_id)).toMatchObject({ balance_cents: 700, consumed_credits: "0.0" });
    await must(call("DELETE", `/wallets/${svc_id}`));
    expect(await details({ granted_credits: "1" })).toEqual({ wallet_id: ["wallet_is_terminated"] });
    const change = call("PUT", `/wallets/${svc_id}`, { wallet: { name: "again" } });
    expect((await refused(change)).details).toMatchObject({ wallet_id: ["wallet_is_terminated"] });
    expect((await must(call("DELETE", `/wallets/${svc_id}`))).wallet.status).toBe("terminated");
    expect((await call("DELETE", "/wallets/nothing")).body.code).toBe("wallet_not_found");
  });
});

describe("a purchase", () => {
  async function buy() {
    const { customer } = await makeCustomer();
    const { svc_id } = await makeWallet(customer, { paid_credits: "10" });
    const [invoice] = await invoicesOf(customer);
    return { customer, wallet: svc_id, invoice: invoice.svc_id };
  }

  test("is settled once, even if its payment is reported 10 times concurrently", async () => {
    const { wallet, invoice } = await buy();
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(invoice)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await show(wallet)).toMatchObject({ balance_cents: 1000, credits_balance: "10.0" });
    const [settled, ...others] = await transactionsOf(wallet);
    expect(others).toEqual([]);
    expect(settled).toMatchObject({ status: "settled", settled_at: "2024-01-01T00:00:00Z" });
    expect(await published("wallet_transaction.updated", settled.svc_id)).toHaveLength(1);
  });

  test("that failed may be paid later; a settled purchase stays settled, and a bounce is its own transaction", async () => {
    const { wallet, invoice } = await buy();
    await must(pay(invoice, "failed"));
    expect(await transactionsOf(wallet)).toMatchObject([{ status: "failed", failed_at: "2024-01-01T00:00:00Z" }]);
    expect((await show(wallet)).balance_cents).toBe(0);
    await must(pay(invoice));
    await must(pay(invoice, "failed"));
    await must(pay(invoice));
    expect((await show(wallet)).balance_cents).toBe(1000);
    const svc_invoice_id = invoice;
    expect(await transactionsOf(wallet)).toMatchObject([
      { transaction_status: "purchased", amount: "10.0", remaining_amount_cents: 0, svc_invoice_id },
      { transaction_status: "voided", amount: "10.0", remaining_amount_cents: null, svc_invoice_id },
      { status: "settled", failed_at: null, remaining_amount_cents: 1000, svc_invoice_id },
    ]);
  });

  test("whose invoice is voided has failed", async () => {
    const { wallet, invoice } = await buy();
    await must(call("POST", `/invoices/${invoice}/void`));
    expect(await transactionsOf(wallet)).toMatchObject([{ status: "failed" }]);
    expect((await show(wallet)).balance_cents).toBe(0);
  });
});

test("a paid purchase is refunded up to what is left in the wallet", async () => {
  const { customer } = await makeCustomer();
  const { svc_id } = await makeWallet(customer, { paid_credits: "10", granted_credits: "1" });
  const [{ svc_id: invoiceId }] = await invoicesOf(customer);
  await must(pay(invoiceId));
  await must(topUp(svc_id, { voided_credits: "3" }));
  const { fees } = (await must(call("GET", `/invoices/${invoiceId}`))).invoice;
  const refund = (amount: number) =>
    call("POST", "/credit_notes", {
      credit_note: {
        invoice_id: invoiceId,
        reason: "other",
        credit_amount_cents: 0,
        refund_amount_cents: amount,
        items: [{ fee_id: fees[0].svc_id, amount_cents: amount }],
      },
    });
  expect((await refund(801)).status).toBe(422);
  const { credit_note } = await must(refund(800));
  expect((await show(svc_id)).balance_cents).toBe(0);
  const [taken] = await transactionsOf(svc_id, "?transaction_status=voided");
  expect(taken).toMatchObject({ amount: "8.0", svc_credit_note_id: credit_note.svc_id });
});

/** Bills 31.00 at the start of each month. */
const monthly = (request: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  now: "2024-01-01T00:00:00Z",
  metrics: {},
  charges: [],
  ...request,
  plan: { amount_cents: 3100, ...request.plan },
});

describe("an invoice", () => {
  test("uses wallets by priority and age up to its total; a void returns the credits, except to ended wallets", async () => {
    const { customer, advanceTo } = await subscribeCustomer(call, monthly());
    const last = await makeWallet(customer, { granted_credits: "100" });
    const first = await makeWallet(customer, { granted_credits: "5", rate_amount: "2", priority: 1 });
    const second = await makeWallet(customer, { granted_credits: "8", priority: 2 });
    await advanceTo("2024-02-01T00:00:00Z");
    const [invoice] = await invoicesOf(customer);
    expect(invoice).toMatchObject({
      prepaid_credit_amount_cents: 3100,
      total_amount_cents: 0,
      payment_status: "succeeded",
    });
    expect(await show(first.svc_id)).toMatchObject({ balance_cents: 0, consumed_credits: "5.0" });
    expect(await show(second.svc_id)).toMatchObject({ balance_cents: 0, consumed_credits: "8.0" });
    expect(await show(last.svc_id)).toMatchObject({
      balance_cents: 8700,
      last_consumed_credit_at: "2024-02-01T00:00:00Z",
    });
    expect(await transactionsOf(last.svc_id, "?transaction_status=invoiced")).toMatchObject([
      { transaction_type: "outbound", status: "settled", amount: "13.0", svc_invoice_id: invoice.svc_id },
    ]);

    await must(call("DELETE", `/wallets/${second.svc_id}`));
    await must(pay(invoice.svc_id, "failed"));
    await must(call("POST", `/invoices/${invoice.svc_id}/void`));
    expect(await show(first.svc_id)).toMatchObject({ balance_cents: 1000, consumed_credits: "0.0" });
    expect(await show(second.svc_id)).toMatchObject({ balance_cents: 0, consumed_credits: "8.0" });
    expect(await show(last.svc_id)).toMatchObject({ balance_cents: 10000, consumed_credits: "0.0" });
    expect(await transactionsOf(first.svc_id, "?transaction_status=granted")).toMatchObject([
      { svc_voided_invoice_id: invoice.svc_id, amount: "10.0", credit_amount: "5.0" },
      { svc_voided_invoice_id: null },
    ]);
  });

  test("and a concurrent one never use the same credits", async () => {
    const input = monthly({ customer: { billing_configuration: { invoice_grace_period: 90 } } });
    const { customer, advanceTo } = await subscribeCustomer(call, input);
    await advanceTo("2024-03-02T00:00:00Z");
    const { svc_id } = await makeWallet(customer, { granted_credits: "40" });
    const drafts = await invoicesOf(customer, "&status=draft");
    expect(drafts).toHaveLength(2);
    expect((await show(svc_id)).balance_cents).toBe(4000);
    const finalized = await Promise.all(
      drafts.map((draft: { svc_id: string }) => must(call("PUT", `/invoices/${draft.svc_id}/finalize`))),
    );
    const prepaid = finalized.map(({ invoice }) => invoice.prepaid_credit_amount_cents);
    expect(prepaid.toSorted()).toEqual([3100, 900]);
    expect((await show(svc_id)).balance_cents).toBe(0);
  });
});

describe("the end of a wallet", () => {
  test("takes effect at its instant: an invoice of the same instant uses nothing of it, an earlier one does", async () => {
    const { customer, advanceTo } = await subscribeCustomer(call, monthly());
    const { svc_id } = await makeWallet(customer, { granted_credits: "100", expiration_at: "2024-03-01T00:00:00Z" });
    await advanceTo("2024-02-29T23:59:59Z");
    expect(await show(svc_id)).toMatchObject({ status: "active", balance_cents: 6900 });
    await advanceTo("2024-03-01T00:00:00Z");
    expect(await show(svc_id)).toMatchObject({
      status: "terminated",
      terminated_at: "2024-03-01T00:00:00Z",
      balance_cents: 0,
    });
    const prepaid = (await invoicesOf(customer)).map(
      (invoice: { prepaid_credit_amount_cents: number }) => invoice.prepaid_credit_amount_cents,
    );
    expect(prepaid).toEqual([0, 3100]);
  });

  test("takes effect at its instant, even before a worker records it", async () => {
    const { customer } = await makeCustomer({ test_clock_id: null });
    const expiration_at = systemClock.now().add({ hours: 1 }).toString();
    const { svc_id } = await makeWallet(customer, { granted_credits: "1", expiration_at });
    ahead = { seconds: 3600 };
    expect((await show(svc_id)).status).toBe("terminated");
    expect((await refused(topUp(svc_id, { granted_credits: "1" }))).details).toMatchObject({
      wallet_id: ["wallet_is_terminated"],
    });
    await drain();
    expect(await show(svc_id)).toMatchObject({ status: "terminated", balance_cents: 0 });
    ahead = { seconds: 0 };
  });

  test("can be moved and removed", async () => {
    const { customer, clock } = await makeCustomer();
    const { svc_id } = await makeWallet(customer, { granted_credits: "1", expiration_at: "2024-02-01" });
    const change = (members: object) => call("PUT", `/wallets/${svc_id}`, { wallet: members });
    const { wallet } = await must(change({ name: "Later", expiration_at: "2024-03-01", rate_amount: "7" }));
    expect(wallet).toMatchObject({ name: "Later", expiration_at: "2024-03-01T00:00:00Z", rate_amount: "1.0" });
    await advance(clock, "2024-02-15T00:00:00Z");
    expect((await must(change({ expiration_at: null }))).wallet).toMatchObject({ name: "Later", expiration_at: null });
    await advance(clock, "2024-04-01T00:00:00Z");
    expect(await show(svc_id)).toMatchObject({ status: "active", balance_cents: 100 });
  });

  test("comes with the deletion of the customer, whose currency the wallet fixed", async () => {
    const { customer } = await makeCustomer({ currency: null });
    const { svc_id } = await makeWallet(customer, { granted_credits: "1", currency: "USD" });
    const other = call("POST", "/customers", { customer: { external_id: customer, currency: "EUR" } });
    expect((await refused(other)).details).toMatchObject({ currency: ["currencies_does_not_match"] });
    await must(call("DELETE", `/customers/${encodeURIComponent(customer)}`));
    expect(await show(svc_id)).toMatchObject({ status: "terminated", balance_cents: 0 });
    expect((await refused(topUp(svc_id, { granted_credits: "1" }))).details).toMatchObject({
      wallet_id: ["wallet_is_terminated"],
    });
  });
});

test("afterwards every invariant holds", async () => {
  await drain();
  const findings = await verify(platform.config.DATABASE_URL, { now: platform.clock.now() });
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});

test("a purchase of an earlier release with unpaid credits in the wallet loses them when it is voided", async () => {
  const { customer } = await makeCustomer();
  const { svc_id } = await makeWallet(customer, { paid_credits: "10" });
  const [purchase] = await invoicesOf(customer);
  await must(pay(purchase.svc_id));
  await runOn(
    platform.config.DATABASE_URL,
    `begin;
     set local session_replication_role = replica;
     delete from ledger_entries where account_id = '${purchase.svc_id}';
     delete from state_changes where subject_id = '${purchase.svc_id}';
     update invoices set payment_status = 'failed', paid_amount_cents = 0, has_receivable = false where id = '${purchase.svc_id}';
     update wallet_transactions set predates_lots = true where invoice_id = '${purchase.svc_id}';
     delete from invoice_sums;
     select sum_all_invoices();
     commit`,
  );
  await must(call("POST", `/invoices/${purchase.svc_id}/void`));
  expect(await show(svc_id)).toMatchObject({ balance_cents: 0 });
  const broken = (await verify(platform.config.DATABASE_URL)).filter(({ broken }) => broken > 0);
  expect(broken.map(({ name }) => name)).toEqual([]);
});

describe("what is stored with credits", () => {
  test("a wallet shows its code and metadata, and a change keeps what it does not name", async () => {
    const { customer } = await makeCustomer();
    const wallet = await makeWallet(customer, { code: "main", metadata: { team: "a", note: null } });
    const stored = { code: "main", metadata: { team: "a", note: null }, invoice_requires_successful_payment: false };
    expect(wallet).toMatchObject(stored);
    const renamed = await must(call("PUT", `/wallets/${wallet.svc_id}`, { wallet: { name: "Main" } }));
    expect(renamed.wallet).toMatchObject({ ...stored, name: "Main" });
    const changed = { wallet: { code: "other", metadata: { team: "b" } } };
    await must(call("PUT", `/wallets/${wallet.svc_id}`, changed));
    expect(await show(wallet.svc_id)).toMatchObject(changed.wallet);
  });

  test("a code belongs to one active wallet of the customer", async () => {
    const { customer } = await makeCustomer();
    const { svc_id } = await makeWallet(customer, { code: "main" });
    const again = { wallet: { external_customer_id: customer, rate_amount: "1", code: "main" } };
    expect(await refused(call("POST", "/wallets", again))).toEqual({
      status: 422,
      details: { code: ["value_already_exist"] },
    });
    await makeWallet((await makeCustomer()).customer, { code: "main" });
    await must(call("DELETE", `/wallets/${svc_id}`));
    await must(call("POST", "/wallets", again));
  });

  test("an invoice only after the payment is refused, because credits are invoiced at once", async () => {
    const { customer } = await makeCustomer();
    const { svc_id } = await makeWallet(customer);
    expect(await refused(topUp(svc_id, { paid_credits: "1", invoice_requires_successful_payment: true }))).toEqual({
      status: 422,
      details: { invoice_requires_successful_payment: ["unsupported_value"] },
    });
  });

  test("transactions have the name and metadata of their request, and the invoice of a purchase has the name", async () => {
    const { customer } = await makeCustomer();
    const { svc_id } = await makeWallet(customer, { name: "Prepaid" });
    const label = { name: "Tokens", metadata: [{ key: "order", value: "7" }] };
    const { wallet_transactions } = await must(topUp(svc_id, { paid_credits: "10", granted_credits: "2", ...label }));
    expect(wallet_transactions).toMatchObject([
      { ...label, transaction_status: "purchased", priority: 50, remaining_amount_cents: 0 },
      { ...label, transaction_status: "granted", priority: 50, remaining_amount_cents: 200 },
    ]);
    expect(await transactionsOf(svc_id)).toMatchObject([label, label]);
    const [{ svc_id: invoice }] = await invoicesOf(customer);
    const { fees } = (await must(call("GET", `/invoices/${invoice}`))).invoice;
    expect(fees).toMatchObject([{ item: { name: "Tokens", invoice_display_name: "Tokens" } }]);
  });
});

test("a wallet that is created, changed and ended has a message each time; one that has ended has no other", async () => {
  const { customer, clock } = await makeCustomer();
  const [byHand, byTime] = [
    await makeWallet(customer, { granted_credits: "5" }),
    await makeWallet(customer, { expiration_at: "2024-02-01T00:00:00Z" }),
  ];
  await must(call("PUT", `/wallets/${byHand.svc_id}`, { wallet: { name: "Renamed" } }));
  for (const _ of [1, 2]) await must(call("DELETE", `/wallets/${byHand.svc_id}`));
  const refused = await call("PUT", `/wallets/${byHand.svc_id}`, { wallet: { name: "Again" } });
  expect(refused.status).toBe(422);
  await advance(clock, "2024-02-02T00:00:00Z");
  expect(await published("wallet.created", byHand.svc_id)).toMatchObject([{ object: { balance_cents: 500 } }]);
  expect(await published("wallet.updated", byHand.svc_id)).toMatchObject([{ object: { name: "Renamed" } }]);
  const end = { status: "terminated", balance_cents: 0 };
  for (const { svc_id } of [byHand, byTime])
    expect(await published("wallet.terminated", svc_id)).toMatchObject([{ object: end }]);
  expect(await published("wallet.updated", byTime.svc_id)).toEqual([]);
});
