/** Sample requests that advance time or resolve parked work. */
import { aTestClock, givenTestClock } from "./sample-records.ts";
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

const because = () => ({ reason: "the price is right now" });

export const OPERATOR_SAMPLES = {
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
