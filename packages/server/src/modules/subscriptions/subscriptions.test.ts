import { beforeEach, describe, expect, it, test } from "vitest";
import type { OutboxMessage } from "../../jobs/outbox.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";

let realNow = Temporal.Instant.from("2026-06-01T00:00:00Z");
const published: OutboxMessage[] = [];
const service = await startTallystick({
  clock: { now: () => realNow },
  subscribers: [async (_tx, message) => void published.push(message)],
});
const { call, drain, organizations } = service;
const other = { key: organizations[1]?.key ?? "" };

let number = 0;
/** A customer on its own clock, with the ids that it uses. */
async function customerAt(now: string, members: object = {}) {
  const name = `customer ${++number}`;
  const { body } = await call("POST", "/test_clocks", { test_clock: { name, now } });
  const testClockId: string = body.test_clock.svc_id;
  await call("POST", "/customers", { customer: { external_id: name, test_clock_id: testClockId, ...members } });
  const sub = `subscription ${number}`;
  return {
    name,
    sub,
    advance: async (to: string) => {
      const answer = await call("POST", `/test_clocks/${testClockId}/advance`, { test_clock: { now: to } });
      expect(answer.body.test_clock).toMatchObject({ status: "ready" });
    },
    subscribe: (plan_code: string, rest: object = {}) =>
      call("POST", "/subscriptions", {
        subscription: { external_customer_id: name, external_id: sub, plan_code, ...rest },
      }),
    show: async (status = "active") => (await call("GET", `/subscriptions/${sub}?status=${status}`)).body.subscription,
    change: (subscription: object, status = "active") =>
      call("PUT", `/subscriptions/${sub}?status=${status}`, { subscription }),
    end: (status = "active") => call("DELETE", `/subscriptions/${sub}?status=${status}`),
    /** All subscriptions under the external id, oldest start first. */
    all: async () => {
      const statuses = ["pending", "active", "terminated", "canceled"].map((status) => `status[]=${status}`).join("&");
      const path = `/subscriptions?external_customer_id=${encodeURIComponent(name)}&${statuses}`;
      return (await call("GET", path)).body.subscriptions;
    },
  };
}

const plan = (code: string, amount: number, rest: object = {}) =>
  call("POST", "/plans", {
    plan: {
      name: code,
      code,
      interval: "monthly",
      amount_cents: amount,
      amount_currency: "EUR",
      pay_in_advance: false,
      ...rest,
    },
  });
await plan("basic", 1000);
await plan("more", 2000);
await plan("same price", 1000);
await plan("trial", 3000, { trial_period: 10 });
await plan("dollars", 1000, { amount_currency: "USD" });

beforeEach(async () => {
  await drain();
  published.length = 0;
  realNow = Temporal.Instant.from("2026-06-01T00:00:00Z");
});

/** Without the messages about invoices. */
const messages = async () => {
  await drain();
  return published
    .filter(({ objectType }) => objectType !== "invoice")
    .map(({ webhookType, payload }) => {
      const { subscription } = JSON.parse(payload);
      return `${webhookType} ${subscription?.plan_code ?? ""}`.trim();
    });
};

describe("a new subscription", () => {
  test("of today is active from the requested instant, and shows its plan", async () => {
    const { name, sub, subscribe, show } = await customerAt("2024-01-10T10:00:00Z");
    const { status, body } = await subscribe("basic", { name: "  Main  ", subscription_at: "2024-01-10T08:00:00Z" });
    expect(status).toBe(200);
    expect(body.subscription).toEqual({
      svc_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      external_id: sub,
      svc_customer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      external_customer_id: name,
      name: "Main",
      plan_code: "basic",
      plan_amount_cents: 1000,
      plan_amount_currency: "EUR",
      status: "active",
      billing_time: "calendar",
      subscription_at: "2024-01-10T08:00:00Z",
      started_at: "2024-01-10T08:00:00Z",
      trial_ended_at: null,
      ending_at: null,
      on_termination_credit_note: null,
      on_termination_invoice: "generate",
      terminated_at: null,
      canceled_at: null,
      created_at: "2024-01-10T10:00:00Z",
      previous_plan_code: null,
      next_plan_code: null,
      downgrade_plan_date: null,
      current_billing_period_started_at: "2024-01-01T00:00:00Z",
      current_billing_period_ending_at: "2024-01-31T23:59:59Z",
      plan: expect.objectContaining({ code: "basic", amount_cents: 1000 }),
    });
    expect(await show()).toEqual(body.subscription);
    expect(await messages()).toContain("subscription.started basic");
  });

  test("creates the customer that it names", async () => {
    const body = { external_customer_id: "nobody yet", external_id: "first", plan_code: "basic" };
    expect((await call("POST", "/subscriptions", { subscription: body })).status).toBe(200);
    const { customer } = (await call("GET", "/customers/nobody%20yet")).body;
    expect(customer).toMatchObject({ external_id: "nobody yet", currency: "EUR" });
    expect(await messages()).toEqual(["customer.created", "subscription.started basic"]);
  });

  test("of a past day begins then", async () => {
    const { subscribe } = await customerAt("2024-03-10T10:00:00Z");
    const { body } = await subscribe("basic", { subscription_at: "2024-01-10T08:00:00Z", billing_time: "anniversary" });
    expect(body.subscription).toMatchObject({
      status: "active",
      started_at: "2024-01-10T08:00:00Z",
      current_billing_period_started_at: "2024-03-10T00:00:00Z",
    });
  });

  test("of a coming day waits, can be moved, and begins at its instant", async () => {
    const { subscribe, show, change, advance } = await customerAt("2024-01-10T10:00:00Z");
    const { body } = await subscribe("basic", { subscription_at: "2024-02-01T07:30:00Z" });
    expect(body.subscription).toMatchObject({ status: "pending", started_at: null });
    await change({ subscription_at: "2024-02-02T07:30:00Z" }, "pending");
    await advance("2024-02-02T07:29:59Z");
    expect(await show("active")).toBeUndefined();
    await advance("2024-02-02T07:30:00Z");
    expect(await show()).toMatchObject({ status: "active", started_at: "2024-02-02T07:30:00Z" });
  });

  test("that waits and is moved to today begins at once", async () => {
    const { subscribe, change } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic", { subscription_at: "2024-02-01T07:30:00Z" });
    const { body } = await change({ subscription_at: "2024-01-10T00:00:00Z" }, "pending");
    expect(body.subscription).toMatchObject({ status: "active", started_at: "2024-01-10T00:00:00Z" });
  });

  it.each([
    [{ external_customer_id: " " }, 422, { external_customer_id: ["value_is_mandatory"] }],
    [{ external_id: null }, 422, { external_id: ["value_is_mandatory"] }],
    [{ plan_code: "" }, 422, { plan_code: ["value_is_mandatory"] }],
    [{ plan_code: "none such" }, 404, undefined],
    [{ billing_time: "lunar" }, 422, { billing_time: ["value_is_invalid"] }],
    [{ subscription_at: "soon" }, 422, { subscription_at: ["invalid_date"] }],
    [{ ending_at: "later" }, 422, { ending_at: ["invalid_date"] }],
    [{ ending_at: "2026-06-01T23:00:00Z" }, 422, { ending_at: ["invalid_date"] }],
    [{ subscription_at: "2026-07-01", ending_at: "2026-06-20" }, 422, { ending_at: ["invalid_date"] }],
    [{ plan_overrides: { amount_cents: -1 } }, 422, { amount_cents: ["value_is_out_of_range"] }],
    [{ plan_overrides: { amount_currency: "USD" } }, 200, undefined],
  ])("with %j answers %i", async (members, status, details) => {
    const subscription = { external_customer_id: `c ${number}`, external_id: `s ${++number}`, plan_code: "basic" };
    const answer = await call("POST", "/subscriptions", { subscription: { ...subscription, ...members } });
    expect([answer.status, answer.body.error_details]).toEqual([status, details]);
  });

  test("cannot have the external_id of another customer's active or pending subscription", async () => {
    const mine = await customerAt("2024-01-10T10:00:00Z");
    const theirs = await customerAt("2024-01-10T10:00:00Z");
    await mine.subscribe("basic");
    const taken = await theirs.subscribe("basic", { external_id: mine.sub });
    expect(taken.body.error_details).toEqual({ external_id: ["value_already_exist"] });
    await theirs.subscribe("basic", { subscription_at: "2024-02-01" });
    const waiting = await mine.subscribe("basic", { external_id: theirs.sub });
    expect(waiting.body.error_details).toEqual({ external_id: ["value_already_exist"] });
    const subscription = { external_customer_id: "theirs", external_id: mine.sub, plan_code: "basic" };
    expect((await call("POST", "/subscriptions", { subscription }, other)).body.code).toBe("plan_not_found");
  });

  test("begins where another customer's under its external_id ended: nothing is billed to both", async () => {
    const before = await customerAt("2024-01-10T10:00:00Z");
    const after = await customerAt("2024-01-20T10:00:00Z");
    await before.subscribe("basic");
    await before.advance("2024-01-15T12:00:00Z");
    await call("DELETE", `/subscriptions/${before.sub}`);
    const { body } = await after.subscribe("basic", { external_id: before.sub, subscription_at: "2024-01-05" });
    expect(body.subscription).toMatchObject({ status: "active", started_at: "2024-01-15T12:00:00Z" });
  });

  test("is in the customer's currency, which the first one sets", async () => {
    const { name, subscribe } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic");
    const answer = await subscribe("dollars", { external_id: "another" });
    expect(answer.body.error_details).toEqual({ currency: ["currencies_does_not_match"] });
    const overridden = await subscribe("basic", { external_id: "x", plan_overrides: { amount_currency: "USD" } });
    expect(overridden.body.error_details).toEqual({ currency: ["currencies_does_not_match"] });
    const customer = await call("POST", "/customers", { customer: { external_id: name, currency: "USD" } });
    expect(customer.body.error_details).toEqual({ currency: ["currencies_does_not_match"] });
  });
});

describe("another plan", () => {
  test("that costs as much or more per year takes over at once", async () => {
    const { subscribe, advance, all } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic");
    await advance("2024-01-15T12:00:00Z");
    const { body } = await subscribe("same price");
    expect(body.subscription).toMatchObject({
      status: "active",
      plan_code: "same price",
      previous_plan_code: "basic",
      subscription_at: "2024-01-10T10:00:00Z",
      started_at: "2024-01-15T12:00:00Z",
    });
    expect(await all()).toMatchObject([
      { plan_code: "basic", status: "terminated", terminated_at: "2024-01-15T12:00:00Z", next_plan_code: "same price" },
      { plan_code: "same price", status: "active" },
    ]);
    expect((await messages()).slice(-2)).toEqual(["subscription.terminated basic", "subscription.started same price"]);
  });

  test("that costs less waits for the end of the period", async () => {
    const { subscribe, advance, show, all } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("more");
    const { body } = await subscribe("basic");
    expect(body.subscription).toMatchObject({
      status: "active",
      plan_code: "more",
      next_plan_code: "basic",
      downgrade_plan_date: "2024-02-01",
    });
    expect(await show("pending")).toMatchObject({ plan_code: "basic", previous_plan_code: "more", started_at: null });
    await advance("2024-02-01T00:00:00Z");
    expect(await all()).toMatchObject([
      { plan_code: "more", status: "terminated", terminated_at: "2024-02-01T00:00:00Z" },
      { plan_code: "basic", status: "active", started_at: "2024-02-01T00:00:00Z", downgrade_plan_date: null },
    ]);
  });

  test("replaces a waiting downgrade", async () => {
    const { subscribe, all } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("more");
    await subscribe("basic");
    await subscribe("same price");
    await subscribe("trial");
    expect(
      (await all()).map(({ plan_code, status }: Record<string, string>) => `${plan_code} ${status}`).sort(),
    ).toEqual(["basic canceled", "more terminated", "same price canceled", "trial active"]);
  });

  test("that waits is canceled by DELETE with status=pending, and the period ends as usual", async () => {
    const { subscribe, end, advance, show } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("more");
    await subscribe("basic");
    const { body } = await end("pending");
    expect(body.subscription).toMatchObject({ status: "canceled", canceled_at: "2024-01-10T10:00:00Z" });
    await advance("2024-02-01T00:00:00Z");
    expect(await show()).toMatchObject({
      plan_code: "more",
      next_plan_code: null,
      current_billing_period_started_at: "2024-02-01T00:00:00Z",
    });
    expect(await messages()).toContain("subscription.terminated basic");
  });

  test("for a subscription that has not begun simply becomes its plan", async () => {
    const { subscribe, all } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("more", { subscription_at: "2024-03-01" });
    const { body } = await subscribe("basic");
    expect(body.subscription).toMatchObject({ status: "pending", plan_code: "basic" });
    expect(await all()).toHaveLength(1);
  });

  test("that is the same changes nothing", async () => {
    const { subscribe, all } = await customerAt("2024-01-10T10:00:00Z");
    const first = await subscribe("basic");
    const again = await subscribe("basic", { billing_time: "anniversary" });
    expect(again.body).toEqual(first.body);
    expect(await all()).toHaveLength(1);
  });
});

describe("an end", () => {
  test("by DELETE is now, and cancels a waiting downgrade", async () => {
    const { subscribe, end, all } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("more");
    await subscribe("basic");
    const { body } = await end();
    expect(body.subscription).toMatchObject({ status: "terminated", terminated_at: "2024-01-10T10:00:00Z" });
    expect(await all()).toMatchObject([
      { plan_code: "more", status: "terminated" },
      { plan_code: "basic", status: "canceled" },
    ]);
    expect((await end()).body.code).toBe("subscription_not_found");
  });

  test("that was scheduled comes at its instant, with alerts on the 45th and 15th day before it", async () => {
    const { subscribe, advance, show } = await customerAt("2024-01-10T10:00:00Z", { timezone: "Europe/Paris" });
    await subscribe("basic", { ending_at: "2024-04-05T22:00:00Z" });
    await advance("2024-02-20T00:00:00Z");
    expect((await messages()).slice(-1)).toEqual(["subscription.started basic"]);
    await advance("2024-02-21T00:00:00Z");
    expect((await messages()).slice(-1)).toEqual(["subscription.termination_alert basic"]);
    await advance("2024-04-05T21:59:59Z");
    expect(await show()).toMatchObject({ status: "active" });
    await advance("2024-04-05T22:00:00Z");
    expect(await show("terminated")).toMatchObject({ terminated_at: "2024-04-05T22:00:00Z" });
    expect((await messages()).slice(-2)).toEqual([
      "subscription.termination_alert basic",
      "subscription.terminated basic",
    ]);
  });

  test("can be moved and removed", async () => {
    const { subscribe, change, advance, show } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic", { ending_at: "2024-01-20T00:00:00Z" });
    await change({ ending_at: "2024-01-25T00:00:00Z" });
    await advance("2024-01-21T00:00:00Z");
    expect(await show()).toMatchObject({ status: "active", ending_at: "2024-01-25T00:00:00Z" });
    expect((await change({ ending_at: "2024-01-21T10:00:00Z" })).body.error_details).toEqual({
      ending_at: ["invalid_date"],
    });
    await change({ ending_at: null });
    await advance("2024-03-01T00:00:00Z");
    expect(await show()).toMatchObject({ status: "active", ending_at: null });
  });

  test("that is scheduled while a downgrade waits also applies to the downgrade", async () => {
    const { subscribe, change, advance, show } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("more");
    await subscribe("basic");
    await change({ ending_at: "2024-02-10T00:00:00Z" });
    await advance("2024-02-10T00:00:00Z");
    expect(await show("terminated")).toMatchObject({ plan_code: "basic", terminated_at: "2024-02-10T00:00:00Z" });
  });

  test("on a boundary that has passed, or on the day of a start that is still to come, is an end like any other", async () => {
    const done = await customerAt("2024-01-10T10:00:00Z");
    await done.subscribe("basic");
    await done.advance("2024-02-01T00:00:00Z");
    expect((await done.end()).body.subscription).toMatchObject({ terminated_at: "2024-02-01T00:00:00Z" });
    const early = await customerAt("2024-01-10T10:00:00Z");
    await early.subscribe("basic", { subscription_at: "2024-01-10T18:00:00Z" });
    const { body } = await early.subscribe("more");
    expect(body.subscription).toMatchObject({ status: "active", started_at: "2024-01-10T18:00:00Z" });
    expect((await early.end()).body.subscription).toMatchObject({ terminated_at: "2024-01-10T18:00:00Z" });
  });

  test("frees the external_id for another subscription", async () => {
    const { subscribe, end, advance, all } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic");
    await end();
    await advance("2024-01-11T00:00:00Z");
    const { body } = await subscribe("basic");
    expect(body.subscription).toMatchObject({ status: "active", started_at: "2024-01-11T00:00:00Z" });
    expect(await all()).toHaveLength(2);
  });
});

describe("a trial", () => {
  test("ends at its instant, with a message", async () => {
    const { subscribe, advance, show } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("trial");
    await advance("2024-01-20T09:59:59Z");
    expect(await show()).toMatchObject({ trial_ended_at: null });
    await advance("2024-01-20T10:00:00Z");
    expect(await show()).toMatchObject({ trial_ended_at: "2024-01-20T10:00:00Z" });
    expect((await messages()).slice(-1)).toEqual(["subscription.trial_ended trial"]);
  });

  test("does not begin again with another plan", async () => {
    const { subscribe, advance } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic");
    await advance("2024-02-20T00:00:00Z");
    const { body } = await subscribe("trial");
    expect(body.subscription).toMatchObject({ trial_ended_at: "2024-01-20T10:00:00Z" });
    expect(await messages()).not.toContain("subscription.trial_ended trial");
  });
});

test("messages show the subscription as it was, with its plan and its customer", async () => {
  const { name, subscribe, end } = await customerAt("2024-01-10T10:00:00Z");
  await subscribe("basic");
  await end();
  await drain();
  const [, started, terminated] = published.map(({ payload }) => JSON.parse(payload));
  expect(started).toMatchObject({
    webhook_type: "subscription.started",
    object_type: "subscription",
    subscription: { status: "active", plan: { code: "basic" }, customer: { external_id: name } },
  });
  expect(terminated.subscription).toMatchObject({ status: "terminated" });
});

describe("lists", () => {
  test("show active ones by default, of a customer or a plan, oldest start first, without plans", async () => {
    const { name, sub, subscribe } = await customerAt("2024-01-10T10:00:00Z");
    await subscribe("basic");
    await subscribe("more", { external_id: "second", subscription_at: "2024-01-05" });
    await subscribe("basic", { external_id: "third", subscription_at: "2024-05-05" });
    const list = async (query: string) => {
      const { body } = await call("GET", `/subscriptions?external_customer_id=${encodeURIComponent(name)}${query}`);
      expect(body.meta.total_count).toBe(body.subscriptions.length);
      return body.subscriptions.map(({ external_id }: { external_id: string }) => external_id);
    };
    expect(await list("")).toEqual(["second", sub]);
    expect(await list("&plan_code=basic")).toEqual([sub]);
    expect(await list("&status[]=pending")).toEqual(["third"]);
    expect(await list("&status[]=pending&status[]=active")).toEqual(["second", sub, "third"]);
    const { body } = await call("GET", "/subscriptions?per_page=1");
    expect(body.subscriptions[0]).not.toHaveProperty("plan");
    expect((await call("GET", "/subscriptions?status[]=odd")).status).toBe(422);
    expect((await call("GET", "/subscriptions", undefined, other)).body.subscriptions).toEqual([]);
  });
});

test("a subscription shows the base fee of its plan, or its own", async () => {
  const { subscribe } = await customerAt("2024-01-01T00:00:00Z");
  const fee = { plan_amount_cents: 1000, plan_amount_currency: "EUR" };
  expect((await subscribe("basic")).body.subscription).toMatchObject(fee);
  const own = await customerAt("2024-01-01T00:00:00Z");
  const { body } = await own.subscribe("basic", { plan_overrides: { amount_cents: 700 } });
  expect(body.subscription).toMatchObject({ ...fee, plan_amount_cents: 700 });
  const listed = await own.all();
  expect(listed).toMatchObject([{ ...fee, plan_amount_cents: 700 }]);
});

test("a change by a request, a plan that follows and its withdrawal are published as subscription.updated", async () => {
  const { subscribe, change, end } = await customerAt("2024-01-10T10:00:00Z");
  await subscribe("trial");
  await messages();
  published.length = 0;
  await change({ name: "Renamed" });
  await subscribe("basic");
  await end("pending");
  expect(await messages()).toEqual([
    "subscription.updated trial",
    "subscription.updated trial",
    "subscription.terminated basic",
    "subscription.canceled basic",
    "subscription.updated trial",
  ]);
  const updated = published.filter(({ webhookType }) => webhookType === "subscription.updated");
  expect(updated.map(({ payload }) => JSON.parse(payload).subscription)).toMatchObject([
    { name: "Renamed", next_plan_code: null, plan: { code: "trial" }, customer: {} },
    { next_plan_code: "basic" },
    { next_plan_code: null },
  ]);
});
