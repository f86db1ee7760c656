/** The delay from the answer to an event until current usage shows it, while other events arrive. */
import type { composeApi } from "../../packages/server/src/main/compose.ts";

export type Reading = { app: Awaited<ReturnType<typeof composeApi>>; key: string; samples: number };

const BACKGROUND_EVENTS = 100;
const BACKGROUND_EVERY_MS = 50;

export async function measureVisibility({ app, key, samples }: Reading) {
  const call = async (method: "GET" | "POST", path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.body}`);
    return answer.json();
  };
  await subscribe(call);
  const send = (number: string) =>
    call("POST", "/events", { event: { transaction_id: number, external_subscription_id: "seen", code: "seen" } });
  const background = setInterval(() => {
    const events = Array.from({ length: BACKGROUND_EVENTS }, () => ({
      transaction_id: crypto.randomUUID(),
      external_subscription_id: "other",
      code: "other",
    }));
    void call("POST", "/events/batch", { events }).catch((error: unknown) => console.error(error));
  }, BACKGROUND_EVERY_MS);
  const times: number[] = [];
  try {
    for (let number = 1; number <= samples; number++) {
      await send(String(number));
      const answeredAt = performance.now();
      while ((await unitsOf(call)) < number);
      times.push(performance.now() - answeredAt);
    }
  } finally {
    clearInterval(background);
  }
  times.sort((one, other) => one - other);
  const quantile = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0);
  return { samples, p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: quantile(1) };
}

type Call = (method: "GET" | "POST", path: string, payload?: object) => Promise<Record<string, unknown>>;

async function subscribe(call: Call): Promise<void> {
  const metric = { name: "Seen", code: "seen", aggregation_type: "count_agg" };
  const { billable_metric } = (await call("POST", "/billable_metrics", { billable_metric: metric })) as {
    billable_metric: { svc_id: string };
  };
  const charge = {
    billable_metric_id: billable_metric.svc_id,
    charge_model: "standard",
    properties: { amount: "1" },
  };
  const plan = { name: "Bench", code: "bench", interval: "monthly", amount_cents: 0, amount_currency: "EUR" };
  await call("POST", "/plans", { plan: { ...plan, pay_in_advance: false, charges: [charge] } });
  await call("POST", "/customers", { customer: { external_id: "bench" } });
  await call("POST", "/subscriptions", {
    subscription: { external_customer_id: "bench", plan_code: "bench", external_id: "seen" },
  });
}

async function unitsOf(call: Call): Promise<number> {
  const { customer_usage } = (await call("GET", "/customers/bench/current_usage?external_subscription_id=seen")) as {
    customer_usage: { charges_usage: { units: string }[] };
  };
  return Number(customer_usage.charges_usage[0]?.units ?? 0);
}
