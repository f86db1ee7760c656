/** Subscriptions whose month ended on the first of this month and was never billed, each with usage of three charges. */
import { dispatchMessages } from "../../packages/server/src/jobs/outbox.ts";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { type Call, demanding, senderOf } from "../../prove/served-api.ts";
import { METRIC_CODES, makeMetrics } from "../three-metrics.ts";

const LANES = 8;
const EVENTS_PER_CHARGE = 3;
const SUBSCRIPTIONS_PER_BATCH = 10;
const TELL_EVERY = 5_000;

/** Created by an API whose clock shows about the 20th of the previous month. */
export async function fillWithSubscriptions(url: string, count: number): Promise<void> {
  const firstOfMonth = systemClock.now().toZonedDateTimeISO("UTC").with({ day: 1 }).startOfDay().toInstant();
  const now = firstOfMonth.subtract({ hours: 24 * 10 });
  const settings = { DATABASE_URL: url, LOG_LEVEL: "error", ...NO_RATE_LIMITS };
  const platform = composePlatform(readConfig(settings), { clock: { now: () => now } });
  const app = await composeApi(platform);
  try {
    const { key } = await makeOrganization(platform, { name: "Bench", isSandbox: false, keyName: "bench" });
    const call = demanding(senderOf(app, key));
    // As on the first of a month: nothing becomes overdue while it is billed.
    await call("PUT", "/organizations", { organization: { net_payment_term: 30 } });
    await makePlan(call);
    const batches = Array.from({ length: Math.ceil(count / SUBSCRIPTIONS_PER_BATCH) }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (const batch of batches) {
          const first = batch * SUBSCRIPTIONS_PER_BATCH;
          const names = Array.from(
            { length: Math.min(SUBSCRIPTIONS_PER_BATCH, count - first) },
            (_, i) => `c${first + i}`,
          );
          for (const name of names) await subscribe(call, name);
          await call("POST", "/events/batch", { events: names.flatMap((name) => eventsOf(name, now)) });
          if (first % TELL_EVERY === 0) process.stderr.write(`${first} of ${count} subscriptions created\n`);
        }
      }),
    );
    // A worker would have published them weeks ago.
    while (await dispatchMessages(platform, platform.subscribers));
  } finally {
    await app.close();
    await platform.close();
  }
}

/** One plan fee, three charges, and a tax. */
async function makePlan(call: Call): Promise<void> {
  await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
  const standard = { charge_model: "standard", properties: { amount: "0.03" } };
  const charges = (await makeMetrics(call)).map((id) => ({ billable_metric_id: id, ...standard }));
  const terms = { interval: "monthly", amount_cents: 700, amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { name: "Monthly", code: "monthly", ...terms, charges } });
}

const subscribe = (call: Call, name: string) =>
  call("POST", "/subscriptions", {
    subscription: { external_customer_id: name, external_id: name, plan_code: "monthly" },
  });

const eventsOf = (name: string, now: Temporal.Instant) =>
  METRIC_CODES.flatMap((code) =>
    Array.from({ length: EVENTS_PER_CHARGE }, (_, index) => ({
      transaction_id: `${name} ${code} ${index}`,
      external_subscription_id: name,
      code,
      timestamp: now.epochMilliseconds / 1000 + 60 * (index + 1),
      properties: { gb: "1.25", user: `u${index}` },
    })),
  );
