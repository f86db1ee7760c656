import { expect, test } from "vitest";
import { newId } from "../../../platform/new-id.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { somebodyWaits } from "../../../testing/somebody-waits.ts";
import { type Answer, type CallOptions, startTallystick } from "../../../testing/start-tallystick.ts";
import { followPause, markPaused } from "../invoices/index.ts";

let now = Temporal.Instant.from("2026-01-10T12:00:00Z");
const { call, drain, platform, organizations } = await startTallystick({ clock: { now: () => now } });
const [{ id: organizationId } = { id: "" }, theirs = { key: "" }] = organizations;
const byThem = { key: theirs.key };

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const show = async (options?: CallOptions) => (await must(call("GET", "/billing_run", undefined, options))).billing_run;
const pause = async (options?: CallOptions) =>
  (await must(call("POST", "/billing_run/pause", undefined, options))).billing_run;
const resume = async (options?: CallOptions) =>
  (await must(call("POST", "/billing_run/resume", undefined, options))).billing_run;
const RUNNING = { status: "running", paused_at: null, waiting_count: 0 };

for (const options of [{}, byThem]) {
  const terms = { name: "Plan", code: "plan", interval: "monthly", amount_cents: 1000, amount_currency: "EUR" };
  await must(call("POST", "/plans", { plan: { ...terms, pay_in_advance: false } }, options));
}
async function subscribe(options: CallOptions = {}): Promise<string> {
  const external_id = newId();
  await must(call("POST", "/customers", { customer: { external_id } }, options));
  const subscription = { external_customer_id: external_id, external_id, plan_code: "plan" };
  await must(call("POST", "/subscriptions", { subscription }, options));
  return external_id;
}
const invoicesOf = async (customer: string, options?: CallOptions) =>
  (await must(call("GET", `/invoices?external_customer_id=${customer}`, undefined, options))).invoices;
const moveTo = (instant: string) => (now = Temporal.Instant.from(instant));

test("while billing is paused, invoices wait and are counted; resumed, each is created once, as of its instant", async () => {
  const [mine, others] = [await subscribe(), await subscribe(byThem)];
  expect(await show()).toEqual(RUNNING);
  expect(await pause()).toEqual({ status: "paused", paused_at: "2026-01-10T12:00:00Z", waiting_count: 0 });
  moveTo("2026-02-02T12:00:00Z");
  await drain();
  expect(await show()).toEqual({ status: "paused", paused_at: "2026-01-10T12:00:00Z", waiting_count: 1 });
  expect(await show(byThem)).toEqual(RUNNING);
  expect([(await invoicesOf(mine)).length, (await invoicesOf(others, byThem)).length]).toEqual([0, 1]);
  // A second pause changes nothing, not even since when.
  expect(await pause()).toMatchObject({ paused_at: "2026-01-10T12:00:00Z", waiting_count: 1 });
  expect(await resume()).toEqual(RUNNING);
  await drain();
  expect(await invoicesOf(mine)).toMatchObject([{ issuing_date: "2026-02-01", status: "finalized" }]);
  expect(await resume()).toEqual(RUNNING);
});

test("the pause of one organization is no pause of another", async () => {
  await pause(byThem);
  expect(await show()).toMatchObject({ status: "running" });
  await resume(byThem);
});

test("billing paused during a run: each invoice is either created or waits, and is created once in the end", async () => {
  const customers = await Promise.all(Array.from({ length: 20 }, () => subscribe()));
  moveTo("2026-03-02T12:00:00Z");
  const [, paused] = await Promise.all([drain(), pause()]);
  expect(paused.status).toBe("paused");
  await drain();
  const { waiting_count: waiting } = await show();
  const made = (await Promise.all(customers.map((customer) => invoicesOf(customer)))).flat().length;
  // The first test's customer has its invoice as well, made or waiting.
  expect(made + waiting).toBeGreaterThanOrEqual(customers.length);
  expect(made + waiting).toBeLessThanOrEqual(customers.length + 1);
  await resume();
  await drain();
  const numbers = await Promise.all(customers.map(async (customer) => (await invoicesOf(customer)).length));
  expect(numbers).toEqual(customers.map(() => 1));
});

test("pausing and resuming at once, many times, leaves due work that agrees with the flag", async () => {
  const customer = await subscribe();
  moveTo("2026-04-02T12:00:00Z");
  for (let round = 0; round < 5; round++) {
    await Promise.all([pause(), resume(), pause(), resume()]);
    const [{ held, paused } = { held: 0n, paused: false }] = await runOn<{ held: bigint; paused: boolean }>(
      platform.config.DATABASE_URL,
      `select (select count(*) from due_instants where kind = 'invoice' and done_at is null
          and organization_id = '${organizationId}' and ready_at > '9000-01-01') as held,
        billing_paused_at is not null as paused from organizations where id = '${organizationId}'`,
    );
    if (!paused) expect(Number(held)).toBe(0);
  }
  await resume();
  await drain();
  expect(await invoicesOf(customer)).toHaveLength(1);
});

test("due work follows a flag that is being changed only after the change, and a late pause does not undo a resume", async () => {
  const customer = await subscribe();
  let following: Promise<bigint> | undefined;
  await inOrganization(platform.db, organizationId, async (tx) => {
    await markPaused(tx, organizationId, now);
    following = followPause(platform, organizationId);
    await somebodyWaits(platform.config.DATABASE_URL);
  });
  await following;
  moveTo("2026-04-20T12:00:00Z");
  await resume();
  // What was left of the pause.
  await followPause(platform, organizationId);
  moveTo("2026-05-02T12:00:00Z");
  await drain();
  expect(await invoicesOf(customer)).toHaveLength(1);
});

test("a process that ends between flag and due work leaves the rest to a job", async () => {
  const customer = await subscribe();
  // The invoice is due, and waits for late events.
  moveTo("2026-06-01T00:00:00Z");
  await drain();
  await inOrganization(platform.db, organizationId, (tx) => markPaused(tx, organizationId, now));
  await drain();
  moveTo("2026-06-02T12:00:00Z");
  await drain();
  expect(await invoicesOf(customer)).toEqual([]);
  await inOrganization(platform.db, organizationId, (tx) => markPaused(tx, organizationId, null));
  await drain();
  expect(await invoicesOf(customer)).toHaveLength(1);
});

test("a repeated request of an earlier pause does not pause again", async () => {
  const headers = { "idempotency-key": "pause" };
  const first = await pause({ headers });
  await resume();
  expect(await pause({ headers })).toEqual(first);
  expect(await show()).toMatchObject({ status: "running" });
});
