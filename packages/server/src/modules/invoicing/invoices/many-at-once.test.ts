import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";

// The same customers twice: in one organization on the real clock, where a worker bills them in one batch; in the other each on its own
// test clock, which bills it alone. The results must not differ.

const START = "2024-01-10T00:00:00Z";
let now = Temporal.Instant.from(START);
const { call: callFirst, drain, organizations } = await startTallystick({ clock: { now: () => now } });
const CUSTOMERS = 14;

type Members = Record<string, unknown>;
type Method = "GET" | "POST" | "PUT";
type Must = (method: Method, path: string, body?: object) => Promise<Answer["body"]>;

const mustWith =
  (key: string): Must =>
  async (method, path, body) => {
    const { status, body: answer, text } = await callFirst(method, path, body, { key });
    expect(status, `${path} ${text}`).toBe(200);
    return answer;
  };

const METRICS = {
  calls: { aggregation_type: "count_agg" },
  data: { aggregation_type: "sum_agg", field_name: "gb" },
  users: { aggregation_type: "unique_count_agg", field_name: "user", recurring: true },
};

async function makeCatalog(must: Must): Promise<void> {
  await must("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
  await must("POST", "/taxes", { tax: { name: "Low", code: "low", rate: "5.5" } });
  const ids: Record<string, string> = {};
  for (const [code, members] of Object.entries(METRICS)) {
    const metric = { billable_metric: { name: code, code, ...members } };
    ids[code] = (await must("POST", "/billable_metrics", metric)).billable_metric.svc_id;
  }
  const ranges = [
    { from_value: 0, to_value: 3, per_unit_amount: "0.5", flat_amount: "1" },
    { from_value: 4, to_value: null, per_unit_amount: "0.125", flat_amount: "0" },
  ];
  const charges = [
    { billable_metric_id: ids.calls, charge_model: "standard", properties: { amount: "0.035" } },
    { billable_metric_id: ids.data, charge_model: "graduated", properties: { graduated_ranges: ranges } },
    { billable_metric_id: ids.users, charge_model: "standard", properties: { amount: "1.5" } },
  ];
  const terms = { interval: "monthly", amount_currency: "EUR" };
  const plans = [
    { name: "Late", code: "late", ...terms, amount_cents: 3100, pay_in_advance: false, charges },
    { name: "Early", code: "early", ...terms, amount_cents: 900, pay_in_advance: true, charges: charges.slice(0, 2) },
    {
      name: "Bound",
      code: "bound",
      ...terms,
      amount_cents: 100,
      pay_in_advance: false,
      charges: charges.slice(1),
      minimum_commitment: { amount_cents: 20000 },
    },
  ];
  for (const plan of plans) await must("POST", "/plans", { plan });
  const coupon = {
    name: "Off",
    code: "off",
    expiration: "no_expiration",
    frequency: "recurring",
    frequency_duration: 2,
  };
  const amount = { coupon_type: "fixed_amount", amount_cents: 333, amount_currency: "EUR" };
  await must("POST", "/coupons", { coupon: { ...coupon, ...amount } });
}

/** Each customer is a little different. */
async function makeCustomer(must: Must, number: number, clock: Members): Promise<void> {
  const name = `c${number}`;
  const plan = ["late", "early", "bound"][number % 3];
  const grace = number % 5 === 4 ? 3 : 0;
  const customer = {
    external_id: name,
    billing_configuration: { invoice_grace_period: grace },
    ...(number % 4 === 1 ? { tax_codes: ["low"] } : {}),
    ...clock,
  };
  await must("POST", "/customers", { customer });
  if (number % 2 === 0)
    await must("POST", "/applied_coupons", { applied_coupon: { external_customer_id: name, coupon_code: "off" } });
  if (number % 3 === 0) {
    const credits = { rate_amount: "1", currency: "EUR", granted_credits: String(1 + number) };
    await must("POST", "/wallets", { wallet: { name: "W", external_customer_id: name, ...credits } });
  }
  await must("POST", "/subscriptions", {
    subscription: { external_customer_id: name, external_id: name, plan_code: plan },
  });
  const events = Object.keys(METRICS).flatMap((code) =>
    Array.from({ length: 1 + ((number + code.length) % 5) }, (_, index) => ({
      transaction_id: `${name} ${code} ${index}`,
      external_subscription_id: name,
      code,
      timestamp: Temporal.Instant.from("2024-01-15T00:00:00Z").epochMilliseconds / 1000 + index * 3600,
      properties: { gb: `${number}.25`, user: `u${index % 3}` },
    })),
  );
  await must("POST", "/events/batch", { events });
}

const IGNORED = /^(svc_|created_at|updated_at|file_url|number|test_clock_id|id$|.*_svc_id$|group_key|key|slug)/;

/** Removes the differences between organizations, runs and clocks. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (IGNORED.test(name) || name.endsWith("_id") ? undefined : member)),
  );

async function picture(must: Must): Promise<unknown[]> {
  const { invoices } = await must("GET", "/invoices?per_page=100");
  const whole: { customer: { external_id: string }; issuing_date: string; total_amount_cents: number }[] = [];
  for (const { svc_id } of invoices) whole.push((await must("GET", `/invoices/${svc_id}`)).invoice);
  const nameOf = (invoice: (typeof whole)[number]) =>
    `${invoice.customer.external_id} ${invoice.issuing_date} ${invoice.total_amount_cents}`;
  return whole
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    .map((invoice) => ({ of: invoice.customer.external_id, invoice: plain(invoice) }));
}

test("customers billed in one transaction get the same invoices as alone", { timeout: 120_000 }, async () => {
  const [together, alone] = organizations.map(({ key }) => mustWith(key));
  if (!together || !alone) throw new Error("there are two organizations");
  const clocks: string[] = [];
  for (const must of [together, alone]) await makeCatalog(must);
  for (let number = 0; number < CUSTOMERS; number++) {
    const { test_clock } = await alone("POST", "/test_clocks", { test_clock: { name: `c${number}`, now: START } });
    clocks.push(test_clock.svc_id);
    await makeCustomer(together, number, {});
    await makeCustomer(alone, number, { test_clock_id: test_clock.svc_id });
  }
  for (const month of ["2024-02-01", "2024-03-01", "2024-04-05"]) {
    const at = `${month}T12:00:00Z`;
    for (const id of clocks) await alone("POST", `/test_clocks/${id}/advance`, { test_clock: { now: at } });
    now = Temporal.Instant.from(at);
    await drain();
  }
  const [first, second] = [await picture(together), await picture(alone)];
  expect(first.length).toBeGreaterThan(3 * CUSTOMERS);
  expect(first).toEqual(second);
});
