/** The lists of `events.errors` and the status of each event come from one decision. */
import { expect, test } from "vitest";
import type { OutboxMessage } from "../../../jobs/outbox.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscribedCustomer, subscribeCustomer } from "../../../testing/subscribed-customer.ts";

let now = Temporal.Instant.from("2026-03-05T10:00:00Z");
const messages: OutboxMessage[] = [];
const { call, drain, runScheduled } = await startTallystick({
  organizations: 1,
  clock: { now: () => now },
  subscribers: [async (_tx, message) => void messages.push(message)],
});

const COUNT = { aggregation_type: "count_agg" };
const SUM = { aggregation_type: "sum_agg", field_name: "v" };
const REGION = [{ key: "region", values: ["eu", "us"] }];
const price = { properties: { amount: "1" } };
const inAdvance = { pay_in_advance: true, ...price };

const subscribe = (customer: Record<string, unknown> = {}): Promise<SubscribedCustomer> =>
  subscribeCustomer(call, {
    now: "2024-01-10T00:00:00Z",
    metrics: {
      calls: COUNT,
      bytes: SUM,
      placed: { ...COUNT, filters: REGION },
      jobs: SUM,
      twice: SUM,
      dropped: COUNT,
      gone: COUNT,
      gone_at_once: COUNT,
    },
    charges: [
      { metric: "calls", ...price },
      { metric: "bytes", ...price },
      {
        metric: "placed",
        ...price,
        filters: [{ values: { region: ["eu"] }, properties: { amount: "2" } }],
      },
      { metric: "jobs", ...inAdvance },
      { metric: "twice", ...price },
      { metric: "twice", ...inAdvance },
      { metric: "dropped", ...price },
      { metric: "gone", ...price },
      { metric: "gone_at_once", ...inAdvance },
    ],
    customer,
  });

type Expected = { of: SubscribedCustomer; id: string; is: string; listed: string };
const expected: Expected[] = [];
let sent = 0;

type Sent = { metric?: string; code?: string; at?: string; subscription?: string; is: string; listed?: string };

/** Sends an event and records what is expected of it: its status or reason, and the list that names it. */
async function send(of: SubscribedCustomer, properties: object, event: Sent): Promise<void> {
  const { metric, code = of.metricCode(metric ?? ""), at = "2024-01-15T00:00:00Z", is, listed = "" } = event;
  const id = `event ${++sent}`;
  const { status, text } = await call("POST", "/events", {
    event: {
      transaction_id: id,
      external_subscription_id: event.subscription ?? of.subscription,
      code,
      timestamp: Temporal.Instant.from(at).epochMilliseconds / 1000,
      properties,
    },
  });
  expect(status, text).toBe(200);
  expected.push({ of, id, is, listed });
}

const path = (start: string, name: string) => `${start}/${encodeURIComponent(name)}`;
const remove = async (target: string) => expect((await call("DELETE", target)).status).toBe(200);

/** By transaction id: the status of the event, and the lists that name it. */
async function found(): Promise<Map<string, { is: string; listed: string }>> {
  const { body } = await call("GET", "/events?per_page=1000");
  const lists = messages
    .filter(({ webhookType }) => webhookType === "events.errors")
    .flatMap(({ payload }) => Object.entries<string[]>(JSON.parse(payload).events_errors));
  return new Map(
    body.events.map((event: { transaction_id: string; status: string; reason: string | null }) => [
      event.transaction_id,
      {
        is: event.reason ?? event.status,
        listed: lists
          .filter(([, ids]) => ids.includes(event.transaction_id))
          .map(([name]) => name)
          .join(" "),
      },
    ]),
  );
}

const NO_PROPERTY = { is: "invalid_property", listed: "missing_aggregation_property" };

test("every event is listed if, and only if, its status says so", async () => {
  const acme = await subscribe();
  await acme.advanceTo("2024-01-20T00:00:00Z");
  await send(acme, {}, { metric: "calls", is: "billed" });
  await send(acme, {}, { metric: "calls", at: "2024-01-09T00:00:00Z", is: "before_start" });
  await send(acme, {}, { code: "nothing", is: "unknown_code", listed: "invalid_code" });
  await send(acme, { v: "2" }, { metric: "bytes", is: "billed" });
  await send(acme, {}, { metric: "bytes", ...NO_PROPERTY });
  await send(acme, { v: "much" }, { metric: "bytes", ...NO_PROPERTY });
  // Billed by the charge itself instead of one of its filters. The message lists it.
  await send(acme, { region: "eu" }, { metric: "placed", is: "billed" });
  await send(acme, {}, { metric: "placed", is: "billed", listed: "missing_group_key" });
  await send(acme, { region: "mars" }, { metric: "placed", is: "billed", listed: "missing_group_key" });
  await send(acme, { region: "us" }, { metric: "placed", is: "billed" });
  // In advance, and both in advance and in arrears.
  await send(acme, { v: "1" }, { metric: "jobs", is: "billed" });
  await send(acme, {}, { metric: "jobs", ...NO_PROPERTY });
  await send(acme, { v: "1" }, { metric: "twice", is: "billed" });
  await send(acme, {}, { metric: "twice", ...NO_PROPERTY });
  await send(acme, {}, { metric: "gone", is: "billed" });
  await send(acme, {}, { metric: "gone_at_once", is: "billed" });
  await acme.advanceTo("2024-02-01T00:00:00Z");
  await send(acme, {}, { metric: "calls", at: "2024-01-31T00:00:00Z", is: "late" });
  await send(acme, {}, { metric: "bytes", at: "2024-01-31T00:00:00Z", ...NO_PROPERTY });
  await send(acme, {}, { metric: "gone", at: "2024-02-01T00:00:00Z", is: "unknown_code", listed: "invalid_code" });
  await send(acme, {}, { metric: "dropped", at: "2024-02-01T00:00:00Z", is: "charge_removed" });
  await send(acme, { v: "1" }, { metric: "bytes", subscription: "nobody's", is: "no_subscription" });
  await send(
    acme,
    {},
    { metric: "bytes", subscription: "nobody's", is: "no_subscription", listed: "missing_aggregation_property" },
  );

  const grace = await subscribe({ billing_configuration: { invoice_grace_period: 5 } });
  await grace.advanceTo("2024-02-02T00:00:00Z");
  await send(grace, {}, { metric: "calls", at: "2024-01-31T00:00:00Z", is: "open" });
  await send(grace, {}, { metric: "bytes", at: "2024-01-31T00:00:00Z", ...NO_PROPERTY });

  const leaver = await subscribe();
  await leaver.advanceTo("2024-01-20T00:00:00Z");
  await remove(path("/subscriptions", leaver.subscription));
  await send(leaver, {}, { metric: "calls", at: "2024-01-20T00:00:00Z", is: "after_end" });
  await send(leaver, {}, { metric: "bytes", at: "2024-01-19T00:00:00Z", ...NO_PROPERTY });

  // A billed event stays billed, whatever happens to its metric.
  for (const metric of ["gone", "gone_at_once"]) await remove(path("/billable_metrics", acme.metricCode(metric)));
  const { plan } = (await call("GET", path("/plans", `plan ${acme.mark}`))).body;
  const charges = plan.charges.filter(
    ({ billable_metric_code }: { billable_metric_code: string }) => billable_metric_code !== acme.metricCode("dropped"),
  );
  const { status, text } = await call("PUT", path("/plans", plan.code), {
    plan: { charges: charges.map(withMetricId) },
  });
  expect(status, text).toBe(200);
  await drain();

  now = Temporal.Instant.from("2026-03-05T11:05:00Z");
  await runScheduled("ask_for_event_checks");
  await drain();
  const results = await found();
  expect(expected.map(({ id }) => ({ id, ...results.get(id) }))).toEqual(
    expected.map(({ id, is, listed }) => ({ id, is, listed })),
  );
});

const withMetricId = ({
  svc_id,
  svc_billable_metric_id,
  taxes: _,
  created_at: __,
  ...charge
}: Record<string, unknown>) => ({
  ...charge,
  id: svc_id,
  billable_metric_id: svc_billable_metric_id,
});
