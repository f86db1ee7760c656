/** From nothing to an invoice and its PDF, as someone who tries the service would. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

type Answer = Record<string, Record<string, string>> & { invoices: Record<string, string>[] };

export type FirstInvoice = {
  cents: number;
  /** How the file begins. */
  pdf: string;
};

export type Moment = "invoice" | "pdf";

export async function makeFirstInvoice(
  url: string,
  key: string,
  onReached: (moment: Moment) => void = () => {},
): Promise<FirstInvoice> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...sent });
    const text = await answer.text();
    assert(answer.ok, `${answer.status} ${method} ${path}: ${text}`);
    return JSON.parse(text || "{}");
  };
  const { test_clock } = await call("POST", "/test_clocks", {
    test_clock: { name: "first", now: "2027-01-31T00:00:00Z" },
  });
  const test_clock_id = test_clock?.svc_id;
  await call("POST", "/customers", { customer: { external_id: "acme", currency: "EUR", test_clock_id } });
  const metric = { name: "Storage", code: "storage", aggregation_type: "sum_agg", field_name: "gigabytes" };
  const { billable_metric } = await call("POST", "/billable_metrics", { billable_metric: metric });
  const charge = { charge_model: "standard", properties: { amount: "0.40" } };
  const charges = [{ billable_metric_id: billable_metric?.svc_id, ...charge }];
  const price = { interval: "monthly", amount_cents: 4900, amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { name: "Startup", code: "startup", ...price, charges } });
  const subscription = { external_customer_id: "acme", external_id: "sub_1", plan_code: "startup" };
  await call("POST", "/subscriptions", { subscription: { ...subscription, billing_time: "anniversary" } });
  const event = { transaction_id: "t1", external_subscription_id: "sub_1", code: "storage" };
  await call("POST", "/events/batch", { events: [{ ...event, properties: { gigabytes: "12.8" } }] });
  await call("POST", `/test_clocks/${test_clock_id}/advance`, { test_clock: { now: "2027-03-01T00:00:00Z" } });
  const invoice = await until(async () => (await call("GET", "/invoices?external_customer_id=acme")).invoices[0]);
  onReached("invoice");
  const download = `/invoices/${invoice.svc_id}/download`;
  const file = await fetch(await until(async () => (await call("POST", download)).invoice?.file_url));
  const pdf = Buffer.from(await file.arrayBuffer()).toString("latin1");
  onReached("pdf");
  return { cents: Number(invoice.total_amount_cents), pdf: pdf.slice(0, 5) };
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = await look();
    if (found) return found;
    await wait(100);
  }
  throw new Error("nothing came within a minute");
}
