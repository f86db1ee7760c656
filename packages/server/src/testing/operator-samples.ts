/** Sample requests that advance time, resolve parked work, or look at what was done. */
import { CONTRADICTED_CENTS } from "./contradicted-invoices.ts";
import { aTax, aTestClock, givenTestClock } from "./sample-records.ts";
import type { Call } from "./start-tallystick.ts";

/** An event in advance whose amount exceeds the limit. */
const givenParkedItem = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { test_clock } = (await call("POST", "/test_clocks", aTestClock(mark))).body;
  const external_customer_id = `customer ${mark}`;
  const external_id = `parked ${mark}`;
  await call("POST", "/customers", {
    customer: { external_id: external_customer_id, test_clock_id: test_clock.svc_id },
  });
  const metric = { name: "Calls", code: external_id, aggregation_type: "count_agg" };
  const made = await call("POST", "/billable_metrics", { billable_metric: metric });
  const charge = {
    billable_metric_id: made.body.billable_metric.svc_id,
    charge_model: "standard",
    pay_in_advance: true,
    properties: { amount: "90071992547409.92" },
  };
  const terms = { name: "Plan", interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { ...terms, code: external_id, charges: [charge] } });
  await call("POST", "/subscriptions", { subscription: { external_customer_id, external_id, plan_code: external_id } });
  const event = { transaction_id: mark, external_subscription_id: external_id, code: external_id };
  await call("POST", "/events", { event });
  const advance = { test_clock: { now: "2026-01-31T00:00:01Z" } };
  await call("POST", `/test_clocks/${test_clock.svc_id}/advance`, advance);
  const { body } = await call("GET", "/parked_items");
  const own = body.parked_items.find((item: { object: { external_id: string } }) => item.object.external_id === mark);
  return { svc_id: own.svc_id };
};

const givenActivity = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { tax } = (await call("POST", "/taxes", aTax(mark))).body;
  const { body } = await call("GET", `/activities?object_id=${tax.svc_id}`);
  return { svc_id: body.activities[0].svc_id };
};

/** An invoice in advance that the second opinion of tests contradicts. */
const givenHeldInvoice = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { test_clock } = (await call("POST", "/test_clocks", aTestClock(mark))).body;
  const external_customer_id = `held ${mark}`;
  const billing_configuration = { invoice_grace_period: 0 };
  await call("POST", "/customers", {
    customer: { external_id: external_customer_id, test_clock_id: test_clock.svc_id, billing_configuration },
  });
  const terms = { name: "Plan", interval: "monthly", amount_cents: CONTRADICTED_CENTS, amount_currency: "EUR" };
  const code = external_customer_id;
  await call("POST", "/plans", { plan: { ...terms, code, pay_in_advance: true } });
  const subscription = { external_customer_id, external_id: code, plan_code: code, billing_time: "anniversary" };
  await call("POST", "/subscriptions", { subscription });
  const advance = { test_clock: { now: "2026-01-31T00:00:01Z" } };
  await call("POST", `/test_clocks/${test_clock.svc_id}/advance`, advance);
  const { body } = await call("GET", "/held_invoices");
  const own = body.held_invoices.find((held: typeof subscription) => held.external_customer_id === code);
  return { svc_id: own.svc_invoice_id };
};

/** No worker runs, so it is not made. */
const givenRequestedSampleData = async (call: Call): Promise<Record<string, string>> => {
  await call("POST", "/sample_data");
  return {};
};

const because = () => ({ reason: "the price is right now" });

export const OPERATOR_SAMPLES = {
  "GET /activities": { permission: "activity" },
  "GET /activities/:svc_id": { permission: "activity", given: givenActivity },
  "GET /security_log": { permission: "activity" },
  "POST /test_clocks": { permission: "test_clock", body: aTestClock },
  "GET /test_clocks": { permission: "test_clock" },
  "GET /test_clocks/:svc_id": { permission: "test_clock", given: givenTestClock },
  "POST /test_clocks/:svc_id/advance": {
    permission: "test_clock",
    given: givenTestClock,
    body: () => ({ test_clock: { now: "2026-02-28T00:00:00Z" } }),
  },
  "DELETE /test_clocks/:svc_id": { permission: "test_clock", given: givenTestClock },
  "POST /test_clocks/:svc_id/cancel": { permission: "test_clock", given: givenTestClock, isAction: true },
  "GET /sample_data": { permission: "organization" },
  "POST /sample_data": { permission: "organization", isAction: true },
  "DELETE /sample_data": { permission: "organization", given: givenRequestedSampleData },
  "GET /billing_run": { permission: "billing_run" },
  "POST /billing_run/pause": { permission: "billing_run", isAction: true },
  "POST /billing_run/resume": { permission: "billing_run", isAction: true },
  "GET /held_invoices": { permission: "held_invoice" },
  "GET /held_invoices/:svc_id": { permission: "held_invoice", given: givenHeldInvoice },
  "POST /held_invoices/:svc_id/release": {
    permission: "held_invoice",
    given: givenHeldInvoice,
    body: because,
    shownAs: { reason: ["held_invoice", "release_reason"] },
  },
  "GET /parked_items": { permission: "billing_run" },
  "GET /parked_items/:svc_id": { permission: "billing_run", missing: "parked_item_not_found", given: givenParkedItem },
  "POST /parked_items/:svc_id/retry": {
    permission: "billing_run",
    missing: "parked_item_not_found",
    given: givenParkedItem,
    body: because,
    // The item stores the reason but does not show it.
    ignored: ["reason"],
  },
  "POST /parked_items/:svc_id/skip": {
    permission: "billing_run",
    missing: "parked_item_not_found",
    given: givenParkedItem,
    body: because,
    // The item stores the reason but does not show it.
    ignored: ["reason"],
  },
} as const;
