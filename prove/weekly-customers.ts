/** A plan by the week with one charge, and customers on it: the smallest that has an invoice with a fee and usage every week. */
import type { Call } from "./served-api.ts";

export const METRIC = "calls";
const PLAN = "weekly";

/** 700 a week and 3 a call, and a tax, so that every part of an invoice is there. */
export async function makeWeeklyPlan(call: Call): Promise<void> {
  const { billable_metric } = await call<{ billable_metric: { svc_id: string } }>("POST", "/billable_metrics", {
    billable_metric: { name: METRIC, code: METRIC, aggregation_type: "count_agg" },
  });
  await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
  await call("POST", "/plans", {
    plan: {
      name: PLAN,
      code: PLAN,
      interval: "weekly",
      amount_cents: 700,
      amount_currency: "EUR",
      pay_in_advance: false,
      charges: [
        { billable_metric_id: billable_metric.svc_id, charge_model: "standard", properties: { amount: "0.03" } },
      ],
    },
  });
}

export type WeeklyCustomer = {
  /** Of the customer and of its subscription. */
  name: string;
  testClockId?: string;
  graceDays?: number;
};

export async function subscribeWeekly(call: Call, { name, testClockId, graceDays = 0 }: WeeklyCustomer): Promise<void> {
  const customer = {
    external_id: name,
    ...(testClockId === undefined ? {} : { test_clock_id: testClockId }),
    billing_configuration: { invoice_grace_period: graceDays },
  };
  await call("POST", "/customers", { customer });
  const subscription = { external_customer_id: name, external_id: name, plan_code: PLAN, billing_time: "anniversary" };
  await call("POST", "/subscriptions", { subscription });
}

export type SentCall = { name: string; id: string; at: Temporal.Instant };

export const toEvent = ({ name, id, at }: SentCall) => ({
  transaction_id: id,
  external_subscription_id: name,
  code: METRIC,
  timestamp: at.epochMilliseconds / 1000,
});

export async function makeTestClock(call: Call, now: Temporal.Instant): Promise<string> {
  const { test_clock } = await call<{ test_clock: { svc_id: string } }>("POST", "/test_clocks", {
    test_clock: { now: now.toString() },
  });
  return test_clock.svc_id;
}
