/** The service with its worker on a cluster of its own, and the customers and subscriptions of the campaign, made through HTTP. */
import { composeApi, composePlatform, composeWorker, type Platform } from "../../packages/server/src/main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { allTerms, BEGINS, type Life, livesIn, planCode, type Terms } from "./lives.ts";

type Method = "GET" | "POST";
export type Call = <Answer>(method: Method, path: string, body?: unknown) => Promise<Answer>;

export type Service = { url: string; platform: Platform; callWith: (key: string) => Call };

/** Nothing is killed here, so the cluster need not survive a power cut. */
const SETTINGS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=256MB"];

/** With its worker, which carries on an advance that takes longer than a call waits. */
export async function withService<T>(
  dataFolder: string | undefined,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const onStop: (() => Promise<void>)[] = [];
  try {
    const cluster = await startEmbeddedPostgres({ settings: SETTINGS, ...(dataFolder ? { dataFolder } : {}) });
    onStop.push(cluster.stop);
    await migrate(cluster.url);
    // One worker: several would only wait for each other, for there is one clock.
    const settings = { DATABASE_URL: cluster.url, LOG_LEVEL: "error", WORKER_CONCURRENCY: "1" } as const;
    const config = readConfig({ ...settings, ...NO_RATE_LIMITS });
    const platform = composePlatform(config);
    onStop.push(platform.close);
    const worker = await composeWorker(platform);
    onStop.push(worker.stop);
    const app = await composeApi(platform);
    onStop.push(() => app.close());
    return await use({ url: cluster.url, platform, callWith: (key) => callerOf(app, key) });
  } finally {
    for (const stop of onStop.reverse()) await stop();
  }
}

type Api = Awaited<ReturnType<typeof composeApi>>;

/** Everything asked for here is valid: any other answer than 200 ends the campaign. */
function callerOf(app: Api, key: string): Call {
  return async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await app.inject({ method, url: `/api/v1${path}`, headers, ...payload });
    if (answer.statusCode !== 200) throw new Error(`${method} ${path} answered ${answer.statusCode} ${answer.body}`);
    return answer.json();
  };
}

/** What a campaign that goes on has to know of what it made. */
export type World = { organizationId: string; key: string; testClockId: string };

export async function makeWorld(service: Service, zones: readonly string[], seed: number): Promise<World> {
  const made = await makeOrganization(service.platform, { name: "Zones", isSandbox: true, keyName: "campaign" });
  const call = service.callWith(made.key);
  const testClock = { name: "years", now: BEGINS.toString() };
  const { test_clock } = await call<{ test_clock: { svc_id: string } }>("POST", "/test_clocks", {
    test_clock: testClock,
  });
  for (const terms of allTerms) await makePlan(call, terms);
  const zonesLeft = [...zones.entries()];
  const settle = async (): Promise<void> => {
    for (let next = zonesLeft.shift(); next !== undefined; next = zonesLeft.shift()) {
      const [number, timeZone] = next;
      const customer = { external_id: timeZone, timezone: timeZone, test_clock_id: test_clock.svc_id };
      await call("POST", "/customers", { customer });
      for (const life of livesIn(timeZone, seed, number)) await subscribe(call, life);
    }
  };
  await Promise.all(Array.from({ length: 4 }, settle));
  return { organizationId: made.id, key: made.key, testClockId: test_clock.svc_id };
}

async function makePlan(call: Call, terms: Terms): Promise<void> {
  const plan = {
    name: planCode(terms),
    code: planCode(terms),
    interval: terms.interval,
    amount_cents: 1000,
    amount_currency: "EUR",
    pay_in_advance: terms.isPaidInAdvance,
    ...(terms.areChargesMonthly ? { bill_charges_monthly: true } : {}),
  };
  await call("POST", "/plans", { plan });
}

async function subscribe(call: Call, life: Life): Promise<void> {
  const subscription = {
    external_customer_id: life.timeZone,
    external_id: life.externalId,
    plan_code: planCode(life),
    billing_time: life.billingTime,
    ...(life.subscriptionAt === null ? {} : { subscription_at: life.subscriptionAt.toString() }),
  };
  await call("POST", "/subscriptions", { subscription });
}
