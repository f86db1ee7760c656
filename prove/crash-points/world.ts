/** What is there before a scenario begins: a catalog, customers, and somebody who wants to be told of everything. */
import type { Call } from "../served-api.ts";

export const BEGIN = Temporal.Instant.from("2026-03-01T00:00:00Z");

/** Of the customers and of their subscriptions. */
export const ACME = "acme";
/** Has a grace period of three days: invoices are drafts first. */
export const GRACE = "grace";
/** Lives on a test clock. */
export const CLOCKED = "clocked";

/** `receiverUrl` null: nobody wants to be told. */
export async function makeWorld(call: Call, receiverUrl: string | null): Promise<void> {
  if (receiverUrl !== null)
    await call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: `${receiverUrl}/hook` } });
  await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
  await call("POST", "/add_ons", {
    add_on: { name: "Set-up", code: "setup", amount_cents: 5000, amount_currency: "EUR" },
  });
  await call("POST", "/coupons", {
    coupon: {
      ...{ name: "Welcome", code: "welcome", coupon_type: "fixed_amount", amount_cents: 700, amount_currency: "EUR" },
      ...{ frequency: "recurring", frequency_duration: 3, expiration: "no_expiration", reusable: true },
    },
  });
  await makePlans(call);
  await call("POST", "/customers", { customer: { external_id: ACME, name: "Acme", currency: "EUR" } });
  await call("POST", "/customers", {
    customer: { external_id: GRACE, name: "Grace", billing_configuration: { invoice_grace_period: 3 } },
  });
  const { test_clock } = await call<{ test_clock: { svc_id: string } }>("POST", "/test_clocks", {
    test_clock: { now: BEGIN.toString() },
  });
  await call("POST", "/customers", { customer: { external_id: CLOCKED, test_clock_id: test_clock.svc_id } });
}

type Made = { billable_metric: { svc_id: string } };

/** In arrears and in advance, the plan itself and its charges; and one to change to. */
async function makePlans(call: Call): Promise<void> {
  const metrics = {
    calls: { aggregation_type: "count_agg" },
    storage: { aggregation_type: "sum_agg", field_name: "gigabytes" },
    seats: { aggregation_type: "unique_count_agg", field_name: "user", recurring: true },
  };
  const ids: Record<string, string> = {};
  for (const [code, members] of Object.entries(metrics)) {
    const { billable_metric } = await call<Made>("POST", "/billable_metrics", {
      billable_metric: { name: code, code, ...members },
    });
    ids[code] = billable_metric.svc_id;
  }
  const charge = (metric: string, amount: string, more: object = {}) => ({
    billable_metric_id: ids[metric],
    charge_model: "standard",
    properties: { amount },
    ...more,
  });
  const terms = { interval: "monthly", amount_currency: "EUR" };
  const charges = [
    charge("calls", "0.05"),
    charge("storage", "1.10"),
    charge("seats", "12", { pay_in_advance: true, invoiceable: true }),
  ];
  const plans = [
    { code: "arrears", amount_cents: 2000, pay_in_advance: false, charges },
    { code: "advance", amount_cents: 3000, pay_in_advance: true, charges: [charge("calls", "0.07")] },
    { code: "large", amount_cents: 9000, pay_in_advance: false, charges: charges.slice(0, 2) },
  ];
  for (const plan of plans) await call("POST", "/plans", { plan: { name: plan.code, ...terms, ...plan } });
}
