import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { type Finding, verify } from "./index.ts";

let now = Temporal.Instant.from("2026-06-01T00:00:00Z");
const service = await startTallystick({ clock: { now: () => now } });
const { call, organizations, platform, drain } = service;
const url = platform.config.DATABASE_URL;
const [first, second] = organizations;

const brokenOf = (findings: readonly Finding[]) => findings.filter(({ broken }) => broken > 0);
const check = (options = {}) => verify(url, { now, ...options });

const makePlan = (code: string, amount: number, more: object = {}) => {
  const terms = { interval: "monthly", amount_currency: "EUR", pay_in_advance: false, ...more };
  return call("POST", "/plans", { plan: { name: code, code, amount_cents: amount, ...terms } });
};

async function subscribe(externalId: string, planCode: string, more: object = {}): Promise<void> {
  const subscription = { external_customer_id: "traveller", external_id: externalId, plan_code: planCode, ...more };
  expect((await call("POST", "/subscriptions", { subscription })).status, externalId).toBe(200);
}

async function makePlans(): Promise<void> {
  await makePlan("small", 1_000);
  await makePlan("large", 5_000, { pay_in_advance: true });
  await makePlan("trial", 2_000, { pay_in_advance: true, trial_period: 40 });
  await makePlan("year", 90_000, { interval: "yearly", pay_in_advance: true, bill_charges_monthly: true });
}

/** A year and a half of subscription changes, on a test clock. */
async function liveThrough(): Promise<void> {
  const testClock = { name: "life", now: "2024-01-10T10:00:00Z" };
  const { svc_id: clock } = (await call("POST", "/test_clocks", { test_clock: testClock })).body.test_clock;
  const advance = async (to: string) => {
    const { body } = await call("POST", `/test_clocks/${clock}/advance`, { test_clock: { now: to } });
    expect(body.test_clock, to).toMatchObject({ now: to, status: "ready" });
  };
  const customer = { external_id: "traveller", test_clock_id: clock, timezone: "America/New_York" };
  await call("POST", "/customers", { customer });
  await subscribe("plain", "small");
  await subscribe("on trial", "trial", { billing_time: "anniversary" });
  await subscribe("up", "small");
  await subscribe("down", "large");
  await subscribe("by the month", "year", { billing_time: "anniversary" });
  await subscribe("backdated", "small", { subscription_at: "2023-05-20T00:00:00Z" });
  await subscribe("to come", "large", { subscription_at: "2024-03-05T15:00:00Z" });
  await subscribe("not to come", "large", { subscription_at: "2024-09-01T00:00:00Z" });
  await subscribe("with an end", "small", { ending_at: "2024-06-20T12:00:00Z" });
  await advance("2024-02-15T08:30:00Z");
  await subscribe("up", "large");
  await subscribe("down", "small");
  await call("DELETE", "/subscriptions/not%20to%20come?status=pending");
  await advance("2024-04-02T00:00:00Z");
  await call("POST", "/customers", { customer: { external_id: "traveller", timezone: "Asia/Tokyo" } });
  await call("DELETE", "/subscriptions/plain");
  await advance("2024-05-20T03:00:00Z");
  await subscribe("plain", "trial");
  await advance("2025-07-01T00:00:00Z");
}

beforeAll(async () => {
  await makePlans();
  await liveThrough();
  await call("POST", "/customers", {
    customer: { external_id: "real", timezone: "Europe/Paris", billing_configuration: { invoice_grace_period: 3 } },
  });
  await subscribe("real", "trial", { external_customer_id: "real" });
  await call("POST", "/customers", { customer: { external_id: "gone" } });
  await subscribe("gone", "small", { external_customer_id: "gone" });
  await call("DELETE", "/customers/gone");
  now = now.add({ hours: 24 * 50 });
  await drain();
});

test("a service that ran through all of them has broken no promise", async () => {
  const findings = await check();
  expect(brokenOf(findings)).toEqual([]);
  expect(findings.length).toBeGreaterThan(25);
  const [{ bills, taken } = {}] = await runOn<{ bills: number; taken: number }>(
    url,
    `select (select count(*)::int from bills) as bills,
       (select count(distinct kind)::int from due_instants where done_at is not null) as taken`,
  );
  expect(bills).toBeGreaterThan(100);
  expect(taken).toBe(10);
});

describe("what is broken", () => {
  beforeAll(() => runOn(url, "update counters set value = value + 1 where series = 'customers'"));

  test("is counted, shown in part and stated in a sentence; other promises are unaffected", async () => {
    const broken = brokenOf(await check());
    expect(broken).toEqual([
      {
        name: "customers-are-numbered",
        promise:
          "The customers of an organization are numbered from 1 without a gap, and its counter equals the last number.",
        broken: 1,
        rows: [{ organization_id: first?.id, customers: 3, first: 1, last: 3, counter: 4 }],
        seconds: expect.any(Number),
      },
    ]);
  });

  test("is counted beyond the rows that are shown", async () => {
    await runOn(url, "update outbox set dispatched_at = null");
    const [finding] = await check({ only: ["messages-do-not-wait"], rowsMax: 2 });
    expect(finding?.rows).toHaveLength(2);
    expect(finding?.broken).toBeGreaterThan(20);
    await runOn(url, "update outbox set dispatched_at = ready_at");
  });

  test("is checked in one organization on request", async () => {
    expect(brokenOf(await check({ organizationId: first?.id }))).toHaveLength(1);
    expect(brokenOf(await check({ organizationId: second?.id }))).toEqual([]);
  });

  test("is checked by name, and each finding is reported at once", async () => {
    const published: string[] = [];
    const only = ["periods-join", "customers-are-numbered"];
    const findings = await check({ only, onChecked: ({ name }: Finding) => published.push(name) });
    expect(findings.map(({ name, broken }) => [name, broken])).toEqual([
      ["customers-are-numbered", 1],
      ["periods-join", 0],
    ]);
    expect(published).toEqual(["customers-are-numbered", "periods-join"]);
  });
});

describe("it reports that it could not check", () => {
  test("for an unknown invariant", async () => {
    await expect(check({ only: ["everything-is-fine"] })).rejects.toThrow(
      /^No invariant is called "everything-is-fine"\. There are: activities-are-as-recorded, /,
    );
  });

  test("in a role that row level security shows no rows", async () => {
    const asApp = new URL(url);
    asApp.searchParams.set("options", "-c role=tallystick_app");
    await expect(verify(asApp.toString())).rejects.toThrow(
      "connections run as tallystick_app and not as tallystick_verifier",
    );
  });

  test("when a table is missing", async () => {
    await runOn(url, "alter table test_clocks rename to clocks");
    const failed = check({ only: ["test-clocks-go-forward"] });
    await expect(failed).rejects.toMatchObject({
      message: "test-clocks-go-forward could not be checked",
      code: "42P01",
    });
    await runOn(url, "alter table clocks rename to test_clocks");
  });

  test("when it takes too long", async () => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin; lock table plans in access exclusive mode");
    const failed = check({ only: ["plan-versions-are-counted"], statementTimeoutMs: 50 });
    await expect(failed).rejects.toMatchObject({ cause: { message: "canceling statement due to statement timeout" } });
    await holder.end();
  });
});
