/** Stuck work is listed in /ready and /metrics, and never makes the service unready. */
import pg from "pg";
import { beforeEach, describe, expect, it, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { subscribeCustomer } from "../testing/subscribed-customer.ts";

let now = systemClock.now();
const { app, call, drain, platform, organizations } = await startTallystick({ clock: { now: () => now } });
const { DATABASE_URL: url } = platform.config;
const organizationId = organizations[0]?.id ?? "";

type Stuck = { kind: string; count: number; oldest_at: string; what_to_do: string };
type Ready = { ready: boolean; obstacles: string[]; stuck: Stuck[] };

/** Moves the clock by more than the time for which a result is cached. */
async function askReady(): Promise<Ready> {
  now = now.add({ seconds: 6 });
  const answer = await app.inject("/ready");
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

const ago = (minutes: number): string => `'${now.subtract({ minutes })}'::timestamptz`;
const RANDOM = "gen_random_uuid()";

/** Runs the statements without triggers and references. */
const plant = (statements: string) => runOn(url, `set session_replication_role = replica; ${statements}`);

const addDue = (columns: { readyAt: string; attempts: number; customer?: string; dueAt?: string }): string => `
  insert into due_instants (organization_id, id, kind, subject_id, customer_id, due_at, rank, ready_at, attempts)
  values ('${organizationId}', ${RANDOM}, 'planted', ${RANDOM}, ${columns.customer ?? "null"}, ${columns.dueAt ?? ago(30)}, 50,
    ${columns.readyAt}, ${columns.attempts})`;

const addMessage = (readyAt: string, attempts: number): string => `
  insert into outbox (organization_id, id, webhook_type, object_type, object_id, change_key, payload, created_at, ready_at, attempts)
  values ('${organizationId}', ${RANDOM}, 'planted', 'planted', ${RANDOM}, ${RANDOM}, '{}', ${ago(30)}, ${readyAt}, ${attempts})`;

const ID = "01a1ed00-0000-7000-8000-000000000001";

const addRefresh = `insert into wallet_refreshes (organization_id, id, customer_id, is_change, ready_at)
  values ('${organizationId}', '${ID}', '${ID}', true, ${ago(11)})`;

const addUnopened = (): string => `${addDelivery(0, ago(0))};
  update webhook_endpoints set unopened_since = ${ago(0)}`;

const addDelivery = (failures: number, readyAt: string): string => `
  insert into webhook_endpoints (organization_id, id, webhook_url, secret, failures, failing_since, created_at, updated_at)
  values ('${organizationId}', '${ID}', 'https://hooks.example', 'whsec_${"A".repeat(43)}=', ${failures},
    ${failures > 0 ? ago(60) : "null"}, ${ago(60)}, ${ago(60)});
  insert into webhook_deliveries (organization_id, id, endpoint_id, message_id, ready_at, created_at)
  values ('${organizationId}', '${ID}', '${ID}', '${ID}', ${readyAt}, ${ago(60)})`;

const CLEAN = `delete from mails; delete from wallet_refreshes; delete from webhook_deliveries; delete from webhook_endpoints;
  update test_clocks set advancing_to = null, ready_at = null, attempts = 0;
  select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs`;

/** An event that no consumer has processed yet; both have processed everything before it. */
async function sendEvent(): Promise<void> {
  const life = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { calls: { aggregation_type: "count_agg" } },
    charges: [{ metric: "calls", pay_in_advance: true, properties: { amount: "1" } }],
  });
  const wallet = { external_customer_id: life.customer, rate_amount: "1", currency: "EUR", granted_credits: "50" };
  expect((await call("POST", "/wallets", { wallet })).status).toBe(200);
  await drain();
  await life.send("calls", {});
}

beforeEach(async () => {
  await drain();
  await runOn(
    url,
    "delete from due_instants where kind = 'planted'; delete from outbox where webhook_type = 'planted'",
  );
});

test("nothing is stuck in a service that works", async () => {
  await call("POST", "/customers", { customer: { external_id: "fine" } });
  expect(await askReady()).toMatchObject({ ready: true, obstacles: [], stuck: [] });
});

describe("it is named, and the service stays ready, when", () => {
  it.each([
    ["due work is not run", "due_work", () => addDue({ readyAt: ago(11), attempts: 0 })],
    ["work fails repeatedly", "due_work", () => addDue({ readyAt: ago(-50), attempts: 5 })],
    ["a message is not dispatched", "messages", () => addMessage(ago(11), 0)],
    ["a message fails repeatedly", "messages", () => addMessage(ago(-50), 5)],
    [
      "an advance of a test clock fails repeatedly",
      "test_clocks",
      () => `insert into test_clocks (organization_id, id, now, advancing_to, ready_at, attempts, created_at)
        values ('${organizationId}', ${RANDOM}, ${ago(90)}, ${ago(0)}, ${ago(-1)}, 5, ${ago(90)})`,
    ],
    [
      "a mail is not sent",
      "mails",
      () => `insert into mails (organization_id, id, document_id, recipients, subject, status, ready_at, created_at)
        values ('${organizationId}', ${RANDOM}, ${RANDOM}, '{a@example.com}', 's', 'queued', ${ago(11)}, ${ago(11)})`,
    ],
    ["an ongoing balance is not computed", "wallet_refreshes", () => addRefresh],
    ["a working endpoint is not called", "webhook_deliveries", () => addDelivery(0, ago(11))],
    ["the secrets of an endpoint cannot be opened", "webhook_secrets", addUnopened],
    ["an endpoint fails repeatedly", "webhook_endpoints", () => addDelivery(5, ago(-50))],
    ["a job is not begun", "jobs", () => `select graphile_worker.add_job('planted', '{}', run_at := ${ago(11)})`],
  ])("%s", async (_, kind, statement) => {
    await plant(statement());
    const { ready, stuck } = await askReady();
    await plant(CLEAN);
    expect(ready).toBe(true);
    expect(stuck).toEqual([
      { kind, count: 1, oldest_at: expect.stringMatching(/^\d{4}-.*Z$/), what_to_do: expect.stringMatching(/\.$/) },
    ]);
    expect(JSON.stringify(stuck)).not.toContain(organizationId);
  });

  test("cursors do not follow the events", async () => {
    await sendEvent();
    expect((await askReady()).stuck).toEqual([]);
    now = now.add({ minutes: 11 });
    const { stuck } = await askReady();
    expect(stuck.map(({ kind, count }) => [kind, count])).toEqual(
      expect.arrayContaining([
        ["advance_fees", 1],
        ["wallet_events", 1],
      ]),
    );
    await drain();
    expect((await askReady()).stuck).toEqual([]);
  });
});

test("work that waits for earlier work of its customer is counted once, and what comes soon is not stuck", async () => {
  const customer = `'${crypto.randomUUID()}'`;
  await plant(
    [
      addDue({ readyAt: ago(-50), attempts: 5, customer, dueAt: ago(40) }),
      addDue({ readyAt: ago(30), attempts: 0, customer }),
      addDue({ readyAt: ago(9), attempts: 0 }),
      addDue({ readyAt: ago(-1), attempts: 4 }),
    ].join(";"),
  );
  expect((await askReady()).stuck).toMatchObject([{ kind: "due_work", count: 1 }]);
});

test("concurrent probes share one query, and /metrics shows the same", async () => {
  await plant(addDue({ readyAt: ago(11), attempts: 0 }));
  expect((await askReady()).stuck).toHaveLength(1);
  await runOn(url, "delete from due_instants where kind = 'planted'");
  expect((await app.inject("/ready")).json().stuck).toHaveLength(1);
  expect((await app.inject("/metrics")).body).toContain('tallystick_stuck_work{kind="due_work"} 1');
  expect((await askReady()).stuck).toEqual([]);
  expect((await app.inject("/metrics")).body).not.toContain("tallystick_stuck_work{");
});

test("at the time limit, the results so far are shown", async () => {
  await plant(addDue({ readyAt: ago(11), attempts: 0 }));
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("begin; lock table outbox in access exclusive mode");
  const { ready, stuck } = await askReady();
  await holder.end();
  expect(ready).toBe(true);
  expect(stuck.map(({ kind }) => kind)).toEqual(["due_work"]);
});
