/** The service as `npm start` runs it, an attacker with large records, and a victim with small ones. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { childEnvironment, readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import type { Stops } from "../with-stops.ts";
import type { World } from "./attacks.ts";

const PROGRAM = join(import.meta.dirname, "../../packages/server/src/main/start.ts");
const STARTS_WITHIN_MS = 180_000;

export type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Answered }>;
// biome-ignore lint/suspicious/noExplicitAny: answers are read as the API describes them.
type Answered = any;

export type Stage = { origin: string; world: World; attacker: Call; victim: Call; victimKey: string };

/** At default settings but for those that are given, on a database that keeps what it says. */
export async function openStage(onStop: Stops, sizes: Sizes, own: Settings = {}): Promise<Stage> {
  const cluster = await startEmbeddedPostgres();
  onStop.push(cluster.stop);
  await migrate(cluster.url);
  const platform = composePlatform(readConfig({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent" }));
  const [attackerKey = "", victimKey = ""] = await Promise.all(
    ["Attacker", "Victim"].map(
      async (name) => (await makeOrganization(platform, { isSandbox: true, keyName: "it", name })).key,
    ),
  );
  await platform.close();
  const origin = await startService({ ...own, DATABASE_URL: cluster.url }, onStop);
  const [attacker, victim] = [callerOf(origin, attackerKey), callerOf(origin, victimKey)];
  await makeVictim(victim);
  const largeInvoiceId = await makeLarge(attacker, sizes);
  return { origin, world: { key: attackerKey, largeInvoiceId }, attacker, victim, victimKey };
}

type Settings = Parameters<typeof childEnvironment>[0];

export async function startService(own: Settings, onStop: Stops): Promise<string> {
  const settings = { ...own, PORT: "0", PUBLIC_URL: "https://billing.example", LOG_LEVEL: "info" } as const;
  const service = spawn(process.execPath, [PROGRAM], {
    env: childEnvironment({ ...settings, DATABASE_LOGIN_CHECK: "off", SECRETS_KEY: "none" }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  onStop.push(() => end(service));
  let log = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  service.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (log.length < 100_000) log += text;
    const found = log.match(/Server listening at (http:[^"]+)"/g) ?? [];
    if (found.length >= Number(own.API_PROCESSES ?? 2) && log.includes("worker started"))
      resolve(/http:[^"]+/.exec(found[0] ?? "")?.[0] ?? "");
  });
  service.once("exit", () => reject(new Error(`The service ended:\n${log}`)));
  AbortSignal.timeout(STARTS_WITHIN_MS).addEventListener("abort", () => reject(new Error(`It did not start:\n${log}`)));
  return promise;
}

async function end(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return;
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  await ended;
}

/** Waits and tries again while the limits of the service say so. */
function callerOf(origin: string, key: string): Call {
  return async (method, path, body) => {
    for (;;) {
      const answer = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status !== 429) return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
      await wait(1_000 * Number(answer.headers.get("retry-after") ?? 1));
    }
  };
}

const demanding =
  (call: Call): Call =>
  async (...input) => {
    const answer = await call(...input);
    if (answer.status !== 200)
      throw new Error(`${input[0]} ${input[1]}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
    return answer;
  };

const PLAN = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };

async function makeVictim(call: Call): Promise<void> {
  const must = demanding(call);
  await must("POST", "/billable_metrics", {
    billable_metric: { name: "Calls", code: "calls", aggregation_type: "count_agg" },
  });
  await must("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } });
  await must("POST", "/plans", { plan: { name: "P", code: "p", ...PLAN } });
  await must("POST", "/customers", { customer: { external_id: "small", currency: "EUR" } });
  await must("POST", "/add_ons", { add_on: { name: "A", code: "a", amount_cents: 100, amount_currency: "EUR" } });
  const subscription = { external_id: "small", external_customer_id: "small", plan_code: "p" };
  await must("POST", "/subscriptions", { subscription });
}

/** How many lines the invoice of the attacker has, and how many large plans there are. */
export type Sizes = { lines: number; plans: number };

const BEGIN = "2026-01-01T00:00:00Z";

async function makeLarge(call: Call, { lines, plans }: Sizes): Promise<string> {
  const must = demanding(call);
  const metric = { name: "Calls", code: "calls", aggregation_type: "count_agg" };
  const { body } = await must("POST", "/billable_metrics", { billable_metric: metric });
  const billable_metric_id = body.billable_metric.svc_id;
  const graduated_ranges = Array.from({ length: 1_000 }, (_, index) => ({
    from_value: index === 0 ? 0 : 10 * index + 1,
    to_value: index === 999 ? null : 10 * index + 10,
    ...{ flat_amount: "0", per_unit_amount: "0.123456789" },
  }));
  const priced = { billable_metric_id, charge_model: "graduated", properties: { graduated_ranges } };
  const charges = [priced, priced, priced, priced];
  for (let number = 0; number < plans; number++)
    await must("POST", "/plans", {
      plan: { name: "Large", code: number === 0 ? "large" : `large ${number}`, ...PLAN, charges },
    });
  const grouped = { billable_metric_id, charge_model: "standard", properties: { amount: "1", grouped_by: ["group"] } };
  await must("POST", "/plans", { plan: { name: "Groups", code: "groups", ...PLAN, charges: [grouped] } });
  const clock = await must("POST", "/test_clocks", { test_clock: { now: BEGIN } });
  const test_clock_id = clock.body.test_clock.svc_id;
  await must("POST", "/customers", { customer: { external_id: "large", currency: "EUR", test_clock_id } });
  const subscription = {
    external_id: "large",
    external_customer_id: "large",
    plan_code: "groups",
    subscription_at: BEGIN,
  };
  await must("POST", "/subscriptions", { subscription });
  const sendMonth = async (month: string) => {
    for (let first = 0; first < lines; first += 100) {
      const events = Array.from({ length: Math.min(100, lines - first) }, (_, index) => ({
        transaction_id: `${month} ${first + index}`,
        ...{ external_subscription_id: "large", code: "calls", properties: { group: `group ${first + index}` } },
        timestamp: `${month}-10T00:00:00Z`,
      }));
      await must("POST", "/events/batch", { events });
    }
  };
  await sendMonth("2026-01");
  await must("POST", `/test_clocks/${test_clock_id}/advance`, { test_clock: { now: "2026-02-02T00:00:00Z" } });
  await sendMonth("2026-02");
  for (;;) {
    const found = await must("GET", "/invoices?external_customer_id=large");
    const [invoice] = found.body.invoices;
    if (invoice?.status === "finalized") return invoice.svc_id;
    await wait(1_000);
  }
}
