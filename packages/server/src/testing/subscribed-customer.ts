/** A subscribed customer on a test clock, for tests of the cost of usage. */
import { expect } from "vitest";
import type { Answer, Call, CallOptions } from "./start-tallystick.ts";

export type MetricRequest = {
  aggregation_type: string;
  field_name?: string;
  recurring?: boolean;
  weighted_interval?: string;
  filters?: readonly object[];
};
/** The name of its metric, and the members of the charge. */
export type ChargeRequest = { metric: string; charge_model?: string; properties?: object } & Record<string, unknown>;

export type SubscriptionRequest = {
  now: string;
  metrics: Readonly<Record<string, MetricRequest>>;
  charges: readonly ChargeRequest[];
  plan?: Record<string, unknown>;
  customer?: Record<string, unknown>;
  subscription?: Record<string, unknown>;
};

/** Operations on the customer. Codes of metrics are names plus a mark, so that tests do not collide. */
export type SubscribedCustomer = {
  mark: string;
  customer: string;
  subscription: string;
  metricCode: (name: string) => string;
  /** Sends events of a metric; the default timestamp is the clock's. */
  send: (metric: string, ...properties: readonly Record<string, unknown>[]) => Promise<void>;
  usage: (query?: string) => Promise<Answer>;
  estimate: (metric: string, properties: object | string, options?: CallOptions) => Promise<Answer>;
  advanceTo: (now: string) => Promise<void>;
};

let marks = 0;

/** A call that must succeed. */
type Must = (method: "GET" | "POST", path: string, body?: object) => Promise<Answer["body"]>;

const succeed =
  (call: Call): Must =>
  async (method, path, body) => {
    const answer = await call(method, path, body);
    expect(answer.status, `${path} ${answer.text}`).toBe(200);
    return answer.body;
  };

export async function subscribeCustomer(call: Call, request: SubscriptionRequest): Promise<SubscribedCustomer> {
  const mark = `u${++marks}`;
  const names = { customer: `customer ${mark}`, subscription: `subscription ${mark}` };
  const metricCode = (name: string) => `${name} ${mark}`;
  const must = succeed(call);
  const clock = (await must("POST", "/test_clocks", { test_clock: { name: mark, now: request.now } })).test_clock
    .svc_id;
  await must("POST", "/customers", {
    customer: { external_id: names.customer, test_clock_id: clock, ...request.customer },
  });
  await makePlan(must, request, { code: `plan ${mark}`, metricCode });
  await must("POST", "/subscriptions", {
    subscription: {
      external_customer_id: names.customer,
      plan_code: `plan ${mark}`,
      external_id: names.subscription,
      ...request.subscription,
    },
  });
  let sent = 0;
  return {
    mark,
    ...names,
    metricCode,
    send: async (metric, ...list) => {
      const events = list.map(({ timestamp, ...properties }) => ({
        transaction_id: `${mark} ${++sent}`,
        external_subscription_id: names.subscription,
        code: metricCode(metric),
        ...(typeof timestamp === "string" ? { timestamp: toSeconds(timestamp) } : {}),
        properties,
      }));
      await must("POST", "/events/batch", { events });
    },
    usage: (query = "") => {
      const external = encodeURIComponent(names.subscription);
      const path = `/customers/${encodeURIComponent(names.customer)}/current_usage`;
      return call("GET", `${path}?external_subscription_id=${external}${query}`);
    },
    estimate: (metric, properties, options) => {
      const json = typeof properties === "string" ? properties : JSON.stringify(properties);
      const event = JSON.stringify({ external_subscription_id: names.subscription, code: metricCode(metric) });
      const raw = `{"event":${event.slice(0, -1)},"properties":${json}}}`;
      return call("POST", "/events/estimate_fees", undefined, { ...options, raw });
    },
    advanceTo: async (now) => {
      const { test_clock } = await must("POST", `/test_clocks/${clock}/advance`, { test_clock: { now } });
      expect(test_clock.status).toBe("ready");
    },
  };
}

async function makePlan(
  must: Must,
  input: SubscriptionRequest,
  { code, metricCode }: { code: string; metricCode: (name: string) => string },
): Promise<void> {
  const ids = new Map<string, string>();
  for (const [name, members] of Object.entries(input.metrics)) {
    const { billable_metric } = await must("POST", "/billable_metrics", {
      billable_metric: { name, code: metricCode(name), ...members },
    });
    ids.set(name, billable_metric.svc_id);
  }
  const charges = input.charges.map(({ metric, ...members }) => ({
    billable_metric_id: ids.get(metric),
    charge_model: "standard",
    ...members,
  }));
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await must("POST", "/plans", { plan: { name: "Plan", code, ...terms, charges, ...input.plan } });
}

const toSeconds = (text: string): number => Temporal.Instant.from(text).epochMilliseconds / 1000;
