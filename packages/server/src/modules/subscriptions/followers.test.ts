/** Effects of plans, customers and organizations on subscriptions. */
import { describe, expect, test } from "vitest";
import { type DueKind, scheduleDue } from "../../jobs/due.ts";
import { alone } from "../../platform/postgres/batch.ts";
import { inOrganization } from "../../platform/postgres/database.ts";
import { PassingFault } from "../../platform/postgres/passing-fault.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { resumeAdvance } from "../customers/index.ts";

let realNow = Temporal.Instant.from("2026-06-01T09:00:00Z");
let isStuck = false;
/** Work that stops a clock for a while. */
const stuck: DueKind = {
  kind: "stuck",
  rank: 1,
  settles: false,
  run: async () => {
    if (isStuck) throw new PassingFault("out of paper");
  },
};
const service = await startTallystick({ clock: { now: () => realNow }, dueKinds: [stuck] });
const { call, drain, platform, organizations } = service;
const organizationId = organizations[0]?.id ?? "";

let number = 0;
const makePlan = async (amount: number, rest: object = {}): Promise<string> => {
  const code = `plan ${++number}`;
  const members = { name: code, code, interval: "monthly", amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { ...members, amount_cents: amount, ...rest } });
  return code;
};
const subscribe = async (plan_code: string, rest: object = {}) => {
  const subscription = { external_customer_id: `c ${++number}`, external_id: `s ${number}`, plan_code, ...rest };
  return (await call("POST", "/subscriptions", { subscription })).body.subscription;
};
const show = async (externalId: string, status = "active") =>
  (await call("GET", `/subscriptions/${encodeURIComponent(externalId)}?status=${status}`)).body.subscription;
const showPlan = async (code: string) => (await call("GET", `/plans/${encodeURIComponent(code)}`)).body.plan;

describe("a plan of its own", () => {
  test("is created by plan_overrides, and its parent plan stays as it is", async () => {
    const code = await makePlan(1000);
    const { external_id, external_customer_id, plan } = await subscribe(code, {
      plan_overrides: { amount_cents: 700, name: "For them", trial_period: 3 },
    });
    expect(plan).toMatchObject({ code, amount_cents: 700, name: "For them", trial_period: 3 });
    expect(plan.parent_id).toBe((await showPlan(code)).svc_id);
    expect(await showPlan(code)).toMatchObject({ amount_cents: 1000, parent_id: null });
    const again = await subscribe(code, { external_id, external_customer_id });
    expect(again.plan.amount_cents).toBe(700);
  });

  test("by PUT replaces the plan in place; a second PUT changes it, and its charges keep their identity", async () => {
    const metric = { name: "Calls", code: `calls ${++number}`, aggregation_type: "count_agg" };
    const { body } = await call("POST", "/billable_metrics", { billable_metric: metric });
    const charges = [
      { billable_metric_id: body.billable_metric.svc_id, charge_model: "standard", properties: { amount: "1" } },
    ];
    const code = await makePlan(1000, { charges });
    const { external_id, svc_id, plan } = await subscribe(code);
    const change = async (plan_overrides: object) =>
      (await call("PUT", `/subscriptions/${encodeURIComponent(external_id)}`, { subscription: { plan_overrides } }))
        .body.subscription;
    const first = await change({ charges: [{ id: plan.charges[0].svc_id, properties: { amount: "2" } }] });
    expect(first).toMatchObject({ svc_id, status: "active", plan_code: code, previous_plan_code: null });
    expect(first.plan.charges[0].properties).toMatchObject({ amount: "2" });
    const second = await change({ amount_cents: 900 });
    expect(second.plan).toMatchObject({ svc_id: first.plan.svc_id, amount_cents: 900 });
    expect(second.plan.charges[0].svc_id).toBe(first.plan.charges[0].svc_id);
    expect(second.plan.charges[0].properties).toMatchObject({ amount: "2" });
  });

  test("does not follow edits of its parent plan", async () => {
    const code = await makePlan(1000);
    const { external_id } = await subscribe(code, { plan_overrides: { name: "For them" } });
    await call("PUT", `/plans/${encodeURIComponent(code)}`, { plan: { amount_cents: 5000 } });
    expect((await show(external_id)).plan.amount_cents).toBe(1000);
  });
});

describe("a plan with subscriptions", () => {
  test("counts its active subscriptions and customers, including those with a plan of their own", async () => {
    const code = await makePlan(1000);
    const { external_customer_id } = await subscribe(code);
    await subscribe(code, { external_customer_id, external_id: `another ${++number}` });
    await subscribe(code, { plan_overrides: { amount_cents: 1 } });
    await subscribe(code, { subscription_at: "2026-08-01" });
    expect(await showPlan(code)).toMatchObject({ active_subscriptions_count: 3, customers_count: 2 });
  });

  test("is shown in a subscription without counts, whose cost grows with their number", async () => {
    const { plan } = await show((await subscribe(await makePlan(1000))).external_id);
    expect(Object.keys(plan).filter((member) => member.endsWith("_count"))).toEqual([]);
  });

  test("refuses other values of members that running bills depend on, and then changes nothing", async () => {
    const code = await makePlan(1000);
    await subscribe(code);
    const before = await showPlan(code);
    const fixed = { interval: "yearly", pay_in_advance: true, trial_period: 5, code: "other" };
    const change = { ...fixed, amount_cents: 1100 };
    const { status, body } = await call("PUT", `/plans/${encodeURIComponent(code)}`, { plan: change });
    expect([status, Object.keys(body.error_details).toSorted()]).toEqual([422, Object.keys(fixed).toSorted()]);
    expect(await showPlan(code)).toEqual(before);
  });

  test("ends its subscriptions when it is deleted, cancels pending ones, and leaves the others", async () => {
    const code = await makePlan(1000);
    const above = await makePlan(2000);
    const active = await subscribe(code);
    const own = await subscribe(code, { plan_overrides: { amount_cents: 1 } });
    const waiting = await subscribe(code, { subscription_at: "2026-08-01" });
    const falling = await subscribe(above);
    const { external_id, external_customer_id } = falling;
    await subscribe(code, { external_id, external_customer_id });
    await call("DELETE", `/plans/${encodeURIComponent(code)}`);
    expect(await show(active.external_id, "terminated")).toMatchObject({ terminated_at: "2026-06-01T09:00:00Z" });
    expect(await show(own.external_id, "terminated")).toMatchObject({ status: "terminated" });
    expect(await show(waiting.external_id, "canceled")).toMatchObject({ status: "canceled" });
    expect(await show(external_id)).toMatchObject({ plan_code: above, next_plan_code: null });
    await drain();
    expect(await show(external_id)).toMatchObject({ status: "active" });
  });

  test("is deleted while a clock advances: customers on that clock end afterwards, the others at once", async () => {
    const code = await makePlan(1000);
    const { body } = await call("POST", "/test_clocks", { test_clock: { name: "busy", now: "2026-06-01T09:00:00Z" } });
    const testClock = body.test_clock.svc_id;
    const busy = `busy ${++number}`;
    await call("POST", "/customers", { customer: { external_id: busy, test_clock_id: testClock } });
    const later = await subscribe(code, { external_customer_id: busy });
    const atOnce = await subscribe(code);
    const customer = { id: later.svc_customer_id, testClockId: testClock };
    const dueAt = Temporal.Instant.from("2026-06-01T10:00:00Z");
    await inOrganization(platform.db, organizationId, (tx) =>
      scheduleDue(alone(tx), platform.registry, organizationId, {
        kind: "stuck",
        subjectId: customer.id,
        customer,
        dueAt,
      }),
    );
    isStuck = true;
    const now = "2026-06-02T00:00:00Z";
    const advanced = await call("POST", `/test_clocks/${testClock}/advance`, { test_clock: { now } });
    expect(advanced.body.test_clock.status).toBe("advancing");
    expect((await call("DELETE", `/plans/${encodeURIComponent(code)}`)).status).toBe(200);
    expect(await show(atOnce.external_id, "terminated")).toMatchObject({ status: "terminated" });
    expect(await show(later.external_id)).toMatchObject({ status: "active" });
    isStuck = false;
    realNow = realNow.add({ minutes: 1 });
    await resumeAdvance(platform);
    await drain();
    expect(await show(later.external_id, "terminated")).toMatchObject({ terminated_at: "2026-06-02T00:00:00Z" });
    realNow = realNow.subtract({ minutes: 1 });
  });

  test("that becomes more expensive takes over at once if it was a waiting downgrade", async () => {
    const code = await makePlan(1000);
    const cheap = await makePlan(500);
    const { external_id, external_customer_id } = await subscribe(code);
    await subscribe(cheap, { external_id, external_customer_id });
    expect(await show(external_id)).toMatchObject({ plan_code: code, next_plan_code: cheap });
    await call("PUT", `/plans/${encodeURIComponent(cheap)}`, { plan: { amount_cents: 999 } });
    await drain();
    expect(await show(external_id)).toMatchObject({ plan_code: code, next_plan_code: cheap });
    await call("PUT", `/plans/${encodeURIComponent(cheap)}`, { plan: { amount_cents: 1000 } });
    await drain();
    expect(await show(external_id)).toMatchObject({ plan_code: cheap, previous_plan_code: code, next_plan_code: null });
  });

  test("is counted with the metrics of its charges", async () => {
    const metric = { name: "Calls", code: `calls ${++number}`, aggregation_type: "count_agg" };
    const { body } = await call("POST", "/billable_metrics", { billable_metric: metric });
    const charge = { billable_metric_id: body.billable_metric.svc_id, charge_model: "standard" };
    const code = await makePlan(1000, { charges: [{ ...charge, properties: { amount: "1" } }] });
    await subscribe(code);
    await subscribe(code, { plan_overrides: { amount_cents: 1 } });
    const shown = await call("GET", `/billable_metrics/${encodeURIComponent(metric.code)}`);
    expect(shown.body.billable_metric).toMatchObject({ active_subscriptions_count: 2, plans_count: 1 });
  });
});

describe("a customer", () => {
  test("ends its subscriptions when it is deleted", async () => {
    const active = await subscribe(await makePlan(1000));
    const { external_customer_id } = active;
    const next = await makePlan(10);
    await subscribe(next, { external_customer_id, external_id: active.external_id });
    const waiting = await subscribe(next, { external_customer_id, subscription_at: "2026-09-01" });
    await call("DELETE", `/customers/${encodeURIComponent(external_customer_id)}`);
    expect(await show(active.external_id, "terminated")).toMatchObject({ terminated_at: "2026-06-01T09:00:00Z" });
    expect(await show(active.external_id, "canceled")).toMatchObject({ plan_code: next });
    expect(await show(waiting.external_id, "canceled")).toMatchObject({ plan_code: next });
    expect(await show(active.external_id)).toBeUndefined();
    realNow = realNow.add({ hours: 24 * 100 });
    await drain();
    realNow = realNow.subtract({ hours: 24 * 100 });
    expect(await show(waiting.external_id)).toBeUndefined();
  });

  test("that moves keeps the end of its open period; the next one is in the new zone", async () => {
    const { body } = await call("POST", "/test_clocks", { test_clock: { name: "moves", now: "2024-01-10T10:00:00Z" } });
    const external_customer_id = `mover ${++number}`;
    const customer = { external_id: external_customer_id, test_clock_id: body.test_clock.svc_id };
    await call("POST", "/customers", { customer: { ...customer, timezone: "America/New_York" } });
    const { external_id } = await subscribe(await makePlan(1000), { external_customer_id });
    await call("POST", "/customers", { customer: { external_id: external_customer_id, timezone: "Asia/Tokyo" } });
    expect(await show(external_id)).toMatchObject({ current_billing_period_ending_at: "2024-02-01T04:59:59Z" });
    await call("POST", `/test_clocks/${body.test_clock.svc_id}/advance`, {
      test_clock: { now: "2024-02-10T00:00:00Z" },
    });
    expect(await show(external_id)).toMatchObject({
      current_billing_period_started_at: "2024-02-01T05:00:00Z",
      current_billing_period_ending_at: "2024-02-29T14:59:59Z",
    });
  });

  test("without a zone of its own follows the organization, after what was due before", async () => {
    const { external_id } = await subscribe(await makePlan(1000));
    const own = `own zone ${++number}`;
    await call("POST", "/customers", { customer: { external_id: own, timezone: "UTC" } });
    const stays = await subscribe(await makePlan(1000), { external_customer_id: own });
    await call("PUT", "/organizations", { organization: { timezone: "Asia/Tokyo" } });
    await drain();
    realNow = Temporal.Instant.from("2026-07-01T09:00:00Z");
    await drain();
    expect(await show(external_id)).toMatchObject({
      current_billing_period_started_at: "2026-07-01T00:00:00Z",
      current_billing_period_ending_at: "2026-07-31T14:59:59Z",
    });
    expect(await show(stays.external_id)).toMatchObject({ current_billing_period_ending_at: "2026-07-31T23:59:59Z" });
    realNow = Temporal.Instant.from("2026-06-01T09:00:00Z");
    await call("PUT", "/organizations", { organization: { timezone: "UTC" } });
  });
});

test("a service that was down runs every period it missed, each once, at its own instant", async () => {
  realNow = Temporal.Instant.from("2026-06-01T09:00:00Z");
  const { external_id } = await subscribe(await makePlan(1000, { interval: "weekly" }));
  realNow = Temporal.Instant.from("2026-09-20T12:00:00Z");
  await drain();
  expect(await show(external_id)).toMatchObject({
    current_billing_period_started_at: "2026-09-14T00:00:00Z",
    current_billing_period_ending_at: "2026-09-20T23:59:59Z",
  });
});
