/** The cost of a second opinion on every invoice: the same customers billed week by week, with and without it, in turns. */
import { composeApi, composePlatform, type Platform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { type Call, demanding, senderOf } from "../prove/served-api.ts";
import { makeTestClock } from "../prove/weekly-customers.ts";
import { METRIC_CODES, makeMetrics } from "./three-metrics.ts";

const CUSTOMERS = 40;
const WEEKS = 8;
const WARM_UP_WEEKS = 2;
const EVENTS = 20;
const START = Temporal.Instant.from("2024-01-01T00:00:00Z");

type TestClock = { test_clock: { status: string } };
type Side = { platform: Platform; call: Call; clockId: string; seconds: number };

export async function measureSecondOpinion() {
  const cluster = await startEmbeddedPostgres({});
  try {
    await migrate(cluster.url);
    const all = await openSide(cluster.url, "all");
    const off = await openSide(cluster.url, "off");
    try {
      for (let week = 1; week <= WEEKS; week++) {
        // In turns, with alternating order, so that other load on the machine affects both alike.
        for (const side of week % 2 === 0 ? [all, off] : [off, all]) {
          const seconds = await billWeek(side, week);
          if (week > WARM_UP_WEEKS) side.seconds += seconds;
        }
      }
      const invoices = CUSTOMERS * (WEEKS - WARM_UP_WEEKS);
      return {
        invoicesOfEach: invoices,
        eventsPerInvoice: 3 * EVENTS,
        invoicesPerSecondWith: (invoices / all.seconds).toFixed(1),
        invoicesPerSecondWithout: (invoices / off.seconds).toFixed(1),
        ratio: (off.seconds / all.seconds).toFixed(3),
        millisecondsPerInvoice: ((1000 * (all.seconds - off.seconds)) / invoices).toFixed(2),
      };
    } finally {
      await all.platform.close();
      await off.platform.close();
    }
  } finally {
    await cluster.stop();
  }
}

async function openSide(url: string, share: "all" | "off"): Promise<Side> {
  const settings = { DATABASE_URL: url, LOG_LEVEL: "silent", SECOND_OPINION: share, ...NO_RATE_LIMITS };
  const platform = composePlatform(readConfig(settings));
  const app = await composeApi(platform);
  const { key } = await makeOrganization(platform, { name: share, isSandbox: true, keyName: "bench" });
  const call = demanding(senderOf(app, key));
  const clockId = await makeTestClock(call, START);
  await makePlan(call);
  for (let number = 0; number < CUSTOMERS; number++) {
    await call("POST", "/customers", { customer: { external_id: `c${number}`, test_clock_id: clockId } });
    const subscription = { external_customer_id: `c${number}`, external_id: `c${number}`, plan_code: "weekly" };
    await call("POST", "/subscriptions", { subscription });
  }
  return { platform, call, clockId, seconds: 0 };
}

async function makePlan(call: Call): Promise<void> {
  const ids = await makeMetrics(call);
  const ranges = [
    { from_value: 0, to_value: 10, per_unit_amount: "0.5", flat_amount: "0" },
    { from_value: 11, to_value: null, per_unit_amount: "0.1", flat_amount: "0" },
  ];
  const properties = [{ amount: "0.03" }, { graduated_ranges: ranges }, { amount: "1.5" }];
  const charges = ids.map((id, index) => ({
    billable_metric_id: id,
    charge_model: index === 1 ? "graduated" : "standard",
    properties: properties[index],
  }));
  const terms = { interval: "weekly", amount_cents: 700, amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { name: "Weekly", code: "weekly", ...terms, charges } });
}

/** Seconds of billing, without sending events. */
async function billWeek({ call, clockId }: Side, week: number): Promise<number> {
  for (let number = 0; number < CUSTOMERS; number++) {
    const events = METRIC_CODES.flatMap((code) =>
      Array.from({ length: EVENTS }, (_, index) => ({
        transaction_id: `${code} ${number} ${week} ${index}`,
        external_subscription_id: `c${number}`,
        code,
        properties: { gb: "1.25", user: `u${index % 7}` },
      })),
    );
    await call("POST", "/events/batch", { events });
  }
  const now = START.add({ hours: 24 * 7 * week }).toString();
  const begun = performance.now();
  let { test_clock } = await call<TestClock>("POST", `/test_clocks/${clockId}/advance`, { test_clock: { now } });
  while (test_clock.status !== "ready") ({ test_clock } = await call<TestClock>("GET", `/test_clocks/${clockId}`));
  return (performance.now() - begun) / 1000;
}
