/** A customer of the studio with a plan, usage, and the invoice of its first month. */
import type { Must, Studio } from "./studio.ts";

type Members = Record<string, unknown>;

export type Month = {
  customer?: Members;
  plan?: Members;
  subscription?: Members;
  begins?: string;
  /** Each on its own metric that sums `v`; the events are values or properties. */
  charges?: readonly (Members & { name: string; events: readonly (number | Members)[] })[];
  /** Called when customer and subscription exist. */
  before?: (customer: string) => Promise<void>;
};

const BEGINS = "2026-01-01T00:00:00Z";
const ENDS = "2026-02-01T12:00:00Z";
let count = 0;

/** Returns the path of the invoice. */
export async function billMonth({ must, drain }: Studio, month: Month): Promise<string> {
  const mark = String(++count).padStart(3, "0");
  const external_id = `customer-${mark}`;
  const clock = (await must("POST", "/test_clocks", { test_clock: { name: mark, now: month.begins ?? BEGINS } }))
    .test_clock.svc_id;
  await must("POST", "/customers", { customer: { external_id, test_clock_id: clock, ...month.customer } });
  await makePlan(must, mark, month);
  const subscription = { external_customer_id: external_id, plan_code: mark, external_id: mark, ...month.subscription };
  await must("POST", "/subscriptions", { subscription });
  await month.before?.(external_id);
  await use(must, mark, month.charges ?? []);
  await drain();
  await must("POST", `/test_clocks/${clock}/advance`, { test_clock: { now: ENDS } });
  await drain();
  const query = `external_customer_id=${external_id}&invoice_type=subscription`;
  const [invoice] = (await must("GET", `/invoices?${query}`)).invoices;
  return `/invoices/${invoice.svc_id}`;
}

async function makePlan(must: Must, mark: string, { plan, charges = [] }: Month): Promise<void> {
  const made: Members[] = [];
  for (const [index, { name, events: _, ...charge }] of charges.entries()) {
    const metric = { name, code: `${mark}-${index}`, aggregation_type: "sum_agg", field_name: "v" };
    const { billable_metric } = await must("POST", "/billable_metrics", { billable_metric: metric });
    const standard = { charge_model: "standard", properties: { amount: "1" } };
    made.push({ billable_metric_id: billable_metric.svc_id, ...standard, ...charge });
  }
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await must("POST", "/plans", { plan: { name: "Plan", code: mark, ...terms, ...plan, charges: made } });
}

async function use(must: Must, mark: string, charges: NonNullable<Month["charges"]>): Promise<void> {
  const events = charges.flatMap((charge, index) =>
    charge.events.map((event, turn) => ({
      transaction_id: `${mark}-${index}-${turn}`,
      external_subscription_id: mark,
      code: `${mark}-${index}`,
      properties: typeof event === "number" ? { v: event } : event,
    })),
  );
  for (let at = 0; at < events.length; at += 100)
    await must("POST", "/events/batch", { events: events.slice(at, at + 100) });
}
