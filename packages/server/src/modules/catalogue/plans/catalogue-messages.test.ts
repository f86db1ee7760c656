import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, call } = await startTallystick();

/** What was published about an object since the last call, oldest first. */
const published = async (objectType: string) => {
  const rows = await runOn(
    platform.config.DATABASE_URL,
    `with taken as (delete from outbox where object_type = '${objectType}' returning *)
     select webhook_type, payload from taken order by id`,
  );
  return rows.map(({ webhook_type, payload }) => [webhook_type, (payload as Record<string, unknown>)[objectType]]);
};

test("a metric that is created, changed and deleted has a message each time, with what the response shows", async () => {
  const metric = { name: "Calls", code: "calls", aggregation_type: "count_agg" };
  const created = await call("POST", "/billable_metrics", { billable_metric: metric });
  const updated = await call("PUT", "/billable_metrics/calls", { billable_metric: { name: "API calls" } });
  const deleted = await call("DELETE", "/billable_metrics/calls");
  expect(await published("billable_metric")).toEqual([
    ["billable_metric.created", created.body.billable_metric],
    ["billable_metric.updated", updated.body.billable_metric],
    ["billable_metric.deleted", deleted.body.billable_metric],
  ]);
});

const terms = { interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };

test("a plan that is created, changed and deleted has a message each time, with what the response shows", async () => {
  const created = await call("POST", "/plans", { plan: { ...terms, name: "Basic", code: "basic" } });
  const updated = await call("PUT", "/plans/basic", { plan: { amount_cents: 200 } });
  const deleted = await call("DELETE", "/plans/basic");
  expect(await published("plan")).toEqual([
    ["plan.created", created.body.plan],
    ["plan.updated", updated.body.plan],
    ["plan.deleted", deleted.body.plan],
  ]);
});

test("a refused request publishes nothing, and neither does the plan of a single subscription", async () => {
  await call("POST", "/plans", { plan: { ...terms, name: "Kept", code: "kept" } });
  await call("POST", "/plans", { plan: { ...terms, name: "Other", code: "other" } });
  await published("plan");
  const refused = [
    await call("POST", "/plans", { plan: { ...terms, name: "Twice", code: "kept" } }),
    await call("PUT", "/plans/kept", { plan: { code: "other" } }),
    await call("DELETE", "/plans/nothing"),
    await call("POST", "/billable_metrics", { billable_metric: { name: "No", code: "no", aggregation_type: "guess" } }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 404, 422]);
  const subscription = { external_customer_id: "c", external_id: "s", plan_code: "kept" };
  const own = await call("POST", "/subscriptions", {
    subscription: { ...subscription, plan_overrides: { amount_cents: 1 } },
  });
  expect(own.status).toBe(200);
  expect([await published("plan"), await published("billable_metric")]).toEqual([[], []]);
});
