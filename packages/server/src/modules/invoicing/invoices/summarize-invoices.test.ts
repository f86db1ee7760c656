import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick({ organizations: 2 });

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const summaryOf = async (query = "") => (await must(call("GET", `/invoices/summary?${query}`))).invoice_summary;
const listed = async (query: string) => (await must(call("GET", `/invoices?${query}`))).invoices;

/** The requests for lists that the API description names. */
const LISTS = {
  all: "",
  draft: "status=draft",
  to_pay:
    "status=finalized&payment_status[]=pending&payment_status[]=failed&payment_overdue=false&payment_dispute_lost=false",
  overdue: "payment_overdue=true",
  paid: "status=finalized&payment_status=succeeded",
  voided: "status=voided",
  payment_failed: "status=finalized&payment_status=failed",
  dispute_lost: "payment_dispute_lost=true",
};

type Listed = { currency: string; total_amount_cents: number; total_due_amount_cents: number };

function amountsOf(invoices: readonly Listed[]) {
  const byCurrency = [...Map.groupBy(invoices, ({ currency }) => currency)];
  return byCurrency
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, of]) => ({
      currency,
      total_amount_cents: of.reduce((sum, one) => sum + one.total_amount_cents, 0),
      total_due_amount_cents: of.reduce((sum, one) => sum + one.total_due_amount_cents, 0),
    }));
}

const bill = async (customer: string, unit_amount_cents: number): Promise<string> => {
  const fees = [{ add_on_code: "setup", unit_amount_cents }];
  return (await must(call("POST", "/invoices", { invoice: { external_customer_id: customer, fees } }))).invoice.svc_id;
};
const pay = (id: string, payment_status: string) =>
  must(call("PUT", `/invoices/${id}`, { invoice: { payment_status } }));
const act = (id: string, action: string, body?: object) => must(call("POST", `/invoices/${id}/${action}`, body));

async function makeInvoices(): Promise<void> {
  await must(
    call("POST", "/add_ons", { add_on: { name: "A", code: "setup", amount_cents: 1, amount_currency: "EUR" } }),
  );
  const { test_clock } = await must(call("POST", "/test_clocks", { test_clock: { now: "2024-01-01T00:00:00Z" } }));
  const customers = [
    { external_id: "euro", name: "Ardent", net_payment_term: 30 },
    { external_id: "dollar", currency: "USD", net_payment_term: 30 },
    { external_id: "late", test_clock_id: test_clock.svc_id, net_payment_term: 3 },
    { external_id: "draft", test_clock_id: test_clock.svc_id, billing_configuration: { invoice_grace_period: 90 } },
  ];
  for (const customer of customers) await must(call("POST", "/customers", { customer }));
  const terms = { interval: "monthly", amount_cents: 7_000, amount_currency: "EUR", pay_in_advance: true };
  await must(call("POST", "/plans", { plan: { name: "Plan", code: "plan", charges: [], ...terms } }));
  const subscription = { external_customer_id: "draft", plan_code: "plan", external_id: "draft" };
  await must(call("POST", "/subscriptions", { subscription }));
  await bill("euro", 100);
  await bill("dollar", 250);
  await pay(await bill("euro", 10), "failed");
  await pay(await bill("dollar", 20), "succeeded");
  await bill("euro", 0);
  await act(await bill("euro", 40), "void");
  await act(await bill("euro", 80), "lose_dispute");
  await act(await bill("euro", 160), "write_off", { reason: "bad debt" });
  await pay(await bill("late", 320), "failed");
  await bill("late", 640);
  const now = "2024-01-10T00:00:00Z";
  await must(call("POST", `/test_clocks/${test_clock.svc_id}/advance`, { test_clock: { now } }));
}

await makeInvoices();

test.each(Object.entries(LISTS))("the view %s counts and sums what the list shows", async (view, query) => {
  const invoices: Listed[] = await listed(query);
  expect(invoices.length).toBeGreaterThan(0);
  expect((await summaryOf())[view]).toEqual({ count: invoices.length, amounts: amountsOf(invoices) });
});

test("draft, to pay, overdue, paid, voided and unpaid with a lost dispute are all invoices", async () => {
  const { all, draft, to_pay, overdue, paid, voided, dispute_lost } = await summaryOf();
  const parts = [draft, to_pay, overdue, paid, voided, dispute_lost];
  expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(all.count);
});

test.each([
  "external_customer_id=dollar",
  "currency=USD",
  "search_term=ARDENT",
  "invoice_type=one_off",
  "invoice_type[]=subscription&currency=EUR",
  "issuing_date_from=2024-01-01&issuing_date_to=2024-03-31",
  "created_from=2024-06-01",
  "created_to=2024-06-01",
  "search_term=nothing",
])("?%s narrows the summary as it narrows the list", async (query) => {
  const [summary, every] = [await summaryOf(query), await summaryOf()];
  expect(summary.all.count).toBeLessThan(every.all.count);
  for (const [view, states] of Object.entries(LISTS)) {
    const invoices: Listed[] = await listed(`${query}&${states}`);
    expect(summary[view], view).toEqual({ count: invoices.length, amounts: amountsOf(invoices) });
  }
});

test("filters of states are no filters of the summary", async () => {
  for (const query of ["status=draft", "payment_status=failed", "payment_overdue=true", "page=2"]) {
    const { status, body } = await call("GET", `/invoices/summary?${query}`);
    expect([status, body.code], query).toEqual([422, "validation_errors"]);
  }
});

test("an organization without invoices has empty views", async () => {
  const key = organizations[1]?.key ?? "";
  const summary = (await must(call("GET", "/invoices/summary", undefined, { key }))).invoice_summary;
  for (const view of Object.keys(LISTS)) expect(summary[view]).toEqual({ count: 0, amounts: [] });
});
