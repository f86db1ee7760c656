// Advances a test clock by five years in one call, with the real service. Progress is visible, and killing the process halfway does not
// change the result.

import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { createTemporaryDatabase, runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { closeAfterTest, type Door, openProcess, PUBLIC_URL } from "./door.ts";

const STARTED_WITHIN_MS = 180_000;
/** A busy machine takes several times as long. */
const READY_WITHIN_MS = 200_000;
const BEGINS = "2024-01-31T09:00:00Z";
/** Reached while the caller still waits, also on a slow machine. */
const KILLED = "2025-04-01T00:00:00Z";
const ENDS = "2029-01-31T09:00:00Z";

let server: EmbeddedPostgres;
let url: string;
let login: pg.Client;
let organizations: Organization[];

type Organization = { id: string; key: string };

beforeAll(async () => {
  server = await startEmbeddedPostgres();
  url = (await createTemporaryDatabase(server.url)).url;
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent" }));
  const request = { isSandbox: true, keyName: "test" };
  organizations = await Promise.all(
    ["Whole", "Killed"].map((name) => makeOrganization(platform, { ...request, name })),
  );
  await platform.close();
  login = new pg.Client({ connectionString: url });
  await login.connect();
});
afterAll(async () => {
  await login?.end();
  await server?.stop();
});

type Service = { door: Door; call: Call };
type Call = <Answer>(key: string, method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<Answer>;
type TestClock = { svc_id: string; status: string; now: string; reached: string | null };

async function startService(): Promise<Service> {
  const program = [process.execPath, ["packages/server/src/main/start.ts"]] as const;
  const door = closeAfterTest(openProcess(...program, { DATABASE_URL: url, PUBLIC_URL, RATE_LIMIT_OTHER: "0" }));
  const log = await door.prints("stderr", /Server listening at http:\S+"/, STARTED_WITHIN_MS);
  const address = /Server listening at (http:\S+)"/.exec(log)?.[1] ?? "";
  const call: Call = async (key, method, path, body) => {
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(READY_WITHIN_MS),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return { door, call };
}

const PLANS = [
  { code: "quarter", interval: "quarterly", amount_cents: 100, pay_in_advance: false },
  { code: "trial", interval: "monthly", amount_cents: 2000, pay_in_advance: true, trial_period: 10 },
  { code: "dear", interval: "monthly", amount_cents: 9000, pay_in_advance: true },
  { code: "year", interval: "yearly", amount_cents: 1000, pay_in_advance: true, bill_charges_monthly: true },
];

/** Every kind of due work: starts, trials, periods, a downgrade, alerts and an end. */
const SUBSCRIPTIONS = [
  { external_id: "quarters", plan_code: "quarter", billing_time: "anniversary" },
  { external_id: "trial", plan_code: "trial", billing_time: "anniversary" },
  { external_id: "cheaper", plan_code: "dear" },
  { external_id: "cheaper", plan_code: "year" },
  {
    external_id: "to come",
    plan_code: "dear",
    subscription_at: "2024-02-29T23:59:59Z",
    ending_at: "2026-02-28T12:00:00Z",
  },
];

async function makeWorld(call: Call, key: string): Promise<string> {
  const clock = await call<{ test_clock: TestClock }>(key, "POST", "/test_clocks", { test_clock: { now: BEGINS } });
  const testClockId = clock.test_clock.svc_id;
  await call(key, "PUT", "/organizations", { organization: { document_number_prefix: "SAME" } });
  for (const plan of PLANS)
    await call(key, "POST", "/plans", { plan: { ...plan, name: plan.code, amount_currency: "EUR" } });
  const customer = { external_id: "customer", timezone: "America/Santiago", test_clock_id: testClockId };
  await call(key, "POST", "/customers", { customer });
  for (const subscription of SUBSCRIPTIONS)
    await call(key, "POST", "/subscriptions", { subscription: { ...subscription, external_customer_id: "customer" } });
  return testClockId;
}

type Look = (testClock: TestClock) => boolean;

/** Polls until the condition holds. Returns everything it saw. */
async function watch(call: Call, key: string, testClockId: string, isEnough: Look): Promise<TestClock[]> {
  const seen: TestClock[] = [];
  const givesUp = AbortSignal.timeout(READY_WITHIN_MS);
  for (;;) {
    givesUp.throwIfAborted();
    const { test_clock } = await call<{ test_clock: TestClock }>(key, "GET", `/test_clocks/${testClockId}`);
    seen.push(test_clock);
    if (isEnough(test_clock)) return seen;
  }
}

const advance = (call: Call, key: string, testClockId: string) =>
  call<{ test_clock: TestClock }>(key, "POST", `/test_clocks/${testClockId}/advance`, { test_clock: { now: ENDS } });

const isThere: Look = ({ status, now }) => status === "ready" && now === ENDS;

const TABLES = ["subscriptions", "subscription_periods", "bills", "invoices", "fees", "due_instants", "outbox"];
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Differs between organizations: the real time, and values derived from ids. */
const OWN = /"(created_at|updated_at|slug)": ?"[^"]*"/g;

/** Everything stored for an organization, with ids replaced by numbers, so that two organizations compare equal. */
async function readRows(organizationId: string): Promise<Record<string, string[]>> {
  const named = ["customers", "plans", "subscriptions", "test_clocks"].map(
    (table) =>
      `select id, '${table} ' || row_number() over (order by id) as name from ${table} where organization_id = $1`,
  );
  const names = await runOn<{ id: string; name: string }>(url, named.join(" union all "), [organizationId]);
  const nameOf = new Map(names.map(({ id, name }) => [id, name]));
  const rows: Record<string, string[]> = {};
  for (const table of TABLES) {
    const real = "{organization_id, id, change_key, created_at, updated_at, ready_at, done_at, dispatched_at}";
    const select = `
      select (to_jsonb(t) - '${real}'::text[] || jsonb_build_object(
        'is_done', to_jsonb(t) ->> 'done_at' is not null, 'waits', to_jsonb(t) ->> 'ready_at' > to_jsonb(t) ->> 'occurred_at'
      ))::text as row from ${table} t where organization_id = $1`;
    const found = await runOn<{ row: string }>(url, select, [organizationId]);
    rows[table] = found
      .map(({ row }) => row.replace(UUID, (id) => nameOf.get(id) ?? "unknown").replace(OWN, ""))
      .sort();
  }
  return rows;
}

/** Blocks the organization's transaction that bills this instant, as long as the lock is held. */
async function stopAt(login: pg.Client, organizationId: string, instant: string): Promise<void> {
  await login.query(`
    create function wait_in_the_middle() returns trigger language plpgsql
      as $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger wait_in_the_middle before insert on bills for each row
      when (new.organization_id = '${organizationId}' and new.occurred_at >= '${instant}')
      execute function wait_in_the_middle();
    select pg_advisory_lock(1)`);
}

async function waitUntilStopped(login: pg.Client): Promise<void> {
  const givesUp = AbortSignal.timeout(READY_WITHIN_MS);
  const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
  while ((await login.query(waiting)).rowCount === 0) givesUp.throwIfAborted();
}

test("a clock whose process is killed in the middle of five years reaches the same state as an undisturbed one", {
  timeout: 600_000,
}, async () => {
  const [whole, killed] = organizations as [Organization, Organization];
  const first = await startService();
  const clocks = {
    whole: await makeWorld(first.call, whole.key),
    killed: await makeWorld(first.call, killed.key),
  };
  await stopAt(login, killed.id, KILLED);
  const lost = expect(advance(first.call, killed.key, clocks.killed)).rejects.toThrow("fetch failed");
  await waitUntilStopped(login);
  process.kill(first.door.pid, "SIGKILL");
  await lost;
  await first.door.ends(STARTED_WITHIN_MS);
  await login.query("select pg_advisory_unlock(1)");

  // The other clock advances in one call, which takes about as long as the lease of the killed process. A worker finishes what is left
  // when callers stop waiting.
  const second = await startService();
  const [found] = await watch(second.call, killed.key, clocks.killed, () => true);
  expect(found?.status).toBe("advancing");
  const moments = [BEGINS, found?.reached, ENDS];
  expect(moments.toSorted()).toEqual(moments);
  expect(found?.reached).not.toBe(BEGINS);
  const [, seen] = await Promise.all([
    advance(second.call, whole.key, clocks.whole),
    watch(second.call, whole.key, clocks.whole, isThere),
  ]);
  expect(seen.at(-1)).toMatchObject({ status: "ready", now: ENDS, reached: null });
  const reached = seen.flatMap((look) => look.reached ?? []);
  expect(new Set(reached).size).toBeGreaterThan(2);
  expect(reached).toEqual(reached.toSorted());

  const [end] = (await watch(second.call, killed.key, clocks.killed, isThere)).slice(-1);
  expect(end?.reached).toBeNull();
  const rows = await readRows(whole.id);
  expect(await readRows(killed.id)).toEqual(rows);
  expect(new Set(rows.due_instants?.map((row) => JSON.parse(row).kind)).size).toBe(8);
});
