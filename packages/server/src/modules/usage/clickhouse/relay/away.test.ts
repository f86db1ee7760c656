import { expect, it } from "vitest";
import { runOn } from "../../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../../testing/start-tallystick.ts";
import { listWaiting } from "../../../invoicing/index.ts";

let now = Temporal.Instant.from("2026-01-10T12:00:00Z");
/** No server listens there. */
const settings = { CLICKHOUSE_URL: "http://127.0.0.1:1/tallystick" };
const { call, drain, platform, organizations } = await startTallystick({ clock: { now: () => now }, settings });

it("without ClickHouse events are accepted, and the invoice that needs them waits and says why", async () => {
  const must = async (path: string, body: object) => {
    const { status, body: answer } = await call("POST", path, body);
    expect(status).toBe(200);
    return answer;
  };
  const metric = { name: "Calls", code: "calls", aggregation_type: "count_agg" };
  const { billable_metric } = await must("/billable_metrics", { billable_metric: metric });
  const charges = [
    { billable_metric_id: billable_metric.svc_id, charge_model: "standard", properties: { amount: "1" } },
  ];
  const plan = { name: "Plan", code: "plan", interval: "monthly", amount_cents: 0, amount_currency: "EUR" };
  await must("/plans", { plan: { ...plan, pay_in_advance: false, charges } });
  await must("/customers", { customer: { external_id: "acme" } });
  await must("/subscriptions", {
    subscription: { external_customer_id: "acme", external_id: "sub", plan_code: "plan" },
  });
  await must("/events", { event: { transaction_id: "t1", external_subscription_id: "sub", code: "calls" } });
  now = Temporal.Instant.from("2026-02-01T12:00:00Z");
  await drain();
  const waiting = await listWaiting(platform, organizations[0]?.id ?? "", 10);
  expect(waiting).toMatchObject([
    { externalCustomerId: "acme", waitsFor: "making", error: expect.stringContaining("ClickHouse") },
  ]);
  expect((await call("GET", "/invoices?external_customer_id=acme")).body.invoices).toEqual([]);
  await must("/events", { event: { transaction_id: "t2", external_subscription_id: "sub", code: "calls" } });

  for (let minutes = 0; minutes < 15; minutes++) {
    now = now.add({ minutes: 1 });
    await drain();
  }
  const [due] = await runOn<{ attempts: number }>(
    platform.config.DATABASE_URL,
    "select attempts::integer from due_instants where last_error is not null",
  );
  // After minutes of downtime, the retry delay is still at most a minute once ClickHouse is back.
  expect(due?.attempts).toBe(16);
});
