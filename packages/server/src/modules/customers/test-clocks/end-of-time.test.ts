/** A test clock can reach the last second of 9999. Periods, terms and trials that begin then end in 10000, and all that is stored. */
import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, drain } = await startTallystick({ organizations: 1, settings: { LOG_LEVEL: "error" } });

const END = "9999-12-31T23:59:59Z";

type Life = { interval: string; now: string; timezone: string; inAdvance: boolean };

test.each<Life>([
  { interval: "monthly", now: "9999-12-01T00:00:00Z", timezone: "UTC", inAdvance: false },
  { interval: "yearly", now: "9999-01-01T00:00:00Z", timezone: "UTC", inAdvance: true },
  { interval: "weekly", now: "9999-12-20T00:00:00Z", timezone: "Pacific/Kiritimati", inAdvance: true },
  { interval: "quarterly", now: END, timezone: "America/Los_Angeles", inAdvance: true },
])(
  "a $interval subscription in $timezone from $now is billed, changed and ended",
  { timeout: 120_000 },
  async (life) => {
    const { now, timezone } = life;
    const name = `${life.interval} ${timezone}`;
    const path = encodeURIComponent(name);
    const must = async (method: "GET" | "POST" | "PUT" | "DELETE", at: string, body?: object) => {
      const { status, text, body: answered } = await call(method, at, body);
      expect(status, `${method} ${at} ${text}`).toBeLessThan(300);
      return answered;
    };
    const look = async () => {
      await must("GET", `/subscriptions/${path}`);
      await must("GET", `/customers/${path}/current_usage?external_subscription_id=${path}`);
      await must("GET", `/customers/${path}/past_usage?external_subscription_id=${path}`);
      await must("GET", `/wallets?external_customer_id=${path}`);
      await must("POST", "/invoices/preview", { invoice: { external_subscription_id: name } });
      const { invoices } = await must(
        "GET",
        `/invoices?external_customer_id=${path}&created_to=9999-12-31&per_page=100`,
      );
      for (const { svc_id } of invoices) await must("GET", `/invoices/${svc_id}/explanation`);
      return invoices as { svc_id: string; status: string }[];
    };
    const clock = (await must("POST", "/test_clocks", { test_clock: { now } })).test_clock.svc_id;
    await makePlans(must, name, life);
    await must("POST", "/customers", {
      customer: {
        ...{ external_id: name, test_clock_id: clock, timezone, currency: "EUR", net_payment_term: 30 },
        billing_configuration: { invoice_grace_period: 3 },
      },
    });
    const rule = { trigger: "interval", interval: life.interval, granted_credits: "1", paid_credits: "0" };
    const wallet = { external_customer_id: name, rate_amount: "1", currency: "EUR", granted_credits: "10" };
    await must("POST", "/wallets", { wallet: { ...wallet, recurring_transaction_rules: [rule] } });
    const subscription = { external_customer_id: name, external_id: name, billing_time: "anniversary" };
    await must("POST", "/subscriptions", { subscription: { ...subscription, plan_code: name } });
    const event = { transaction_id: name, external_subscription_id: name, code: name, timestamp: now };
    await must("POST", "/events", { event: { ...event, properties: { gigabytes: 5 } } });
    await look();

    await must("POST", `/test_clocks/${clock}/advance`, { test_clock: { now: END } });
    await drain();
    await look();
    await must("POST", "/subscriptions", { subscription: { ...subscription, plan_code: `${name} more` } });
    await drain();
    for (const { svc_id, status } of await look()) {
      if (status === "draft") await must("PUT", `/invoices/${svc_id}/finalize`);
      await must("POST", `/invoices/${svc_id}/download`);
    }
    await drain();
    await must("DELETE", `/subscriptions/${path}`);
    await must("DELETE", `/customers/${path}`);
    await drain();
    expect((await must("GET", "/parked_items")).parked_items).toEqual([]);
  },
);

/** A plan with usage of every kind, and a dearer one. */
async function makePlans(
  must: (method: "POST", at: string, body: object) => Promise<{ billable_metric: { svc_id: string } }>,
  code: string,
  { interval, inAdvance }: Life,
): Promise<void> {
  const metric = { name: "Storage", code, aggregation_type: "sum_agg", field_name: "gigabytes" };
  const { svc_id: flow } = (await must("POST", "/billable_metrics", { billable_metric: metric })).billable_metric;
  const stock = { ...metric, code: `${code} kept`, aggregation_type: "weighted_sum_agg", recurring: true };
  const kept = await must("POST", "/billable_metrics", { billable_metric: { ...stock, weighted_interval: "seconds" } });
  const charge = { charge_model: "standard", properties: { amount: "1" } };
  const charges = [
    { ...charge, billable_metric_id: flow },
    { ...charge, billable_metric_id: flow, pay_in_advance: true },
    { ...charge, billable_metric_id: kept.billable_metric.svc_id },
  ];
  const terms = { name: "Plan", interval, amount_currency: "EUR", pay_in_advance: inAdvance };
  const trial = { trial_period: inAdvance ? 5 : 0, minimum_commitment: { amount_cents: 2000 } };
  await must("POST", "/plans", { plan: { ...terms, ...trial, code, amount_cents: 1000, charges } });
  await must("POST", "/plans", { plan: { ...terms, code: `${code} more`, amount_cents: 5000, charges: [] } });
}
