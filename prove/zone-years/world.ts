/** The customers and subscriptions of the campaign, made through HTTP. */
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import type { Call, Service } from "../served-api.ts";
import { makeTestClock } from "../weekly-customers.ts";
import { callsOf } from "./expected.ts";
import { allTerms, BEGINS, type Life, PLAN_CENTS, type Population, planCode, type Terms } from "./lives.ts";

const METRIC = "calls";
const EVENTS_PER_BATCH = 100;
/** They are advanced at once: one alone leaves the database waiting for the process, and the other way round. */
export const TEST_CLOCKS = 3;

/** What a campaign that goes on has to know of what it made. */
export type World = { organizationId: string; key: string; testClockIds: readonly string[] };

export async function makeWorld(service: Service, { zones, livesIn }: Population, seed: number): Promise<World> {
  const made = await makeOrganization(service.platform, { name: "Zones", isSandbox: true, keyName: "campaign" });
  const call = service.callWith(made.key);
  const testClockIds: string[] = [];
  while (testClockIds.length < TEST_CLOCKS) testClockIds.push(await makeTestClock(call, BEGINS));
  const { billable_metric } = await call<{ billable_metric: { svc_id: string } }>("POST", "/billable_metrics", {
    billable_metric: { name: METRIC, code: METRIC, aggregation_type: "count_agg" },
  });
  for (const terms of allTerms) await makePlan(call, terms, billable_metric.svc_id);
  const zonesLeft = [...zones.entries()];
  const settle = async (): Promise<void> => {
    for (let next = zonesLeft.shift(); next !== undefined; next = zonesLeft.shift()) {
      const [number, timeZone] = next;
      // Neighbors share a clock.
      const test_clock_id = testClockIds[Math.floor((number * TEST_CLOCKS) / zones.length)];
      const customer = { external_id: timeZone, timezone: timeZone, test_clock_id };
      await call("POST", "/customers", { customer });
      for (const life of livesIn(timeZone, seed, number)) await subscribe(call, life);
    }
  };
  await Promise.all(Array.from({ length: 4 }, settle));
  return { organizationId: made.id, key: made.key, testClockIds };
}

async function makePlan(call: Call, terms: Terms, metricId: string): Promise<void> {
  const plan = {
    name: planCode(terms),
    code: planCode(terms),
    interval: terms.interval,
    amount_cents: PLAN_CENTS,
    amount_currency: "EUR",
    pay_in_advance: terms.isPaidInAdvance,
    charges: [{ billable_metric_id: metricId, charge_model: "standard", properties: { amount: "0.01" } }],
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

export type Span = { after: Temporal.Instant | null; until: Temporal.Instant };

/** The calls of all lives in a span of time, at the instants where one period ends and the next begins. Sending them again changes nothing. */
export async function sendCalls(
  call: Call,
  { zones, livesIn, seed }: Population & { seed: number },
  { after, until }: Span,
): Promise<void> {
  const isInSpan = (at: Temporal.Instant): boolean => after === null || Temporal.Instant.compare(after, at) < 0;
  const events = zones.flatMap((timeZone, number) =>
    livesIn(timeZone, seed, number).flatMap((life) =>
      callsOf(life, until)
        .filter(isInSpan)
        .map((at) => ({
          transaction_id: `${life.externalId} ${at}`,
          external_subscription_id: life.externalId,
          code: METRIC,
          timestamp: secondsOf(at),
        })),
    ),
  );
  for (let sent = 0; sent < events.length; sent += EVENTS_PER_BATCH)
    await call("POST", "/events/batch", { events: events.slice(sent, sent + EVENTS_PER_BATCH) });
}

/** To the microsecond. */
function secondsOf({ epochNanoseconds }: Temporal.Instant): string {
  const microseconds = epochNanoseconds / 1000n;
  return `${microseconds / 1_000_000n}.${String(microseconds % 1_000_000n).padStart(6, "0")}`;
}
