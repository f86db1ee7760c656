/** For every route under /api/v1 a request that succeeds: the tests that try every route are built from these. */
import type { Call } from "./start-tallystick.ts";

export type Sample = {
  /** The resource whose right the route needs. */
  permission: string;
  /** Makes the records that path and body name; returns what names them. `mark` keeps them apart from others. */
  given?: (call: Call, mark: string) => Promise<Record<string, string>>;
  /** With every nested object and list that the route takes, so that each member inside can be reached. */
  body?: (mark: string, named: Record<string, string>) => object;
  /** Members that only a record of another kind has: they are taken, but neither checked nor shown. */
  ignored?: readonly string[];
};

const aTax = (mark: string) => ({ tax: { name: "VAT", code: `tax ${mark}`, rate: "20" } });
const aCustomer = (mark: string) => ({
  customer: {
    external_id: `customer ${mark}`,
    name: "Customer",
    shipping_address: { city: "Paris" },
    billing_configuration: { payment_provider: "stripe", provider_payment_methods: ["card"] },
    metadata: [{ key: "key", value: "value", display_in_invoice: true }],
    tax_codes: [],
  },
});
/** Of the one kind that has every member. */
const aMetric = (mark: string) => ({
  billable_metric: {
    name: "Storage",
    code: `metric ${mark}`,
    description: "Kept files",
    aggregation_type: "weighted_sum_agg",
    field_name: "gigabytes",
    recurring: true,
    weighted_interval: "seconds",
    filters: [{ key: "region", values: ["eu"] }],
  },
});
const aPlan = (mark: string, { metric_id }: Record<string, string>) => ({
  plan: {
    name: "Startup",
    code: `plan ${mark}`,
    invoice_display_name: "Subscription",
    description: "For small teams",
    interval: "yearly",
    amount_cents: 4900,
    amount_currency: "EUR",
    pay_in_advance: true,
    trial_period: 14,
    bill_charges_monthly: true,
    tax_codes: [],
    minimum_commitment: { amount_cents: 100, invoice_display_name: "Minimum", tax_codes: [] },
    charges: [
      {
        billable_metric_id: metric_id,
        charge_model: "standard",
        invoice_display_name: "Storage",
        min_amount_cents: 10,
        properties: { amount: "0.05", grouped_by: ["workspace"] },
        filters: [{ values: { region: ["eu"] }, properties: { amount: "0.06" }, invoice_display_name: "In Europe" }],
        tax_codes: [],
      },
    ],
  },
});
const anAddOn = (mark: string) => ({
  add_on: {
    name: "Set-up fee",
    code: `add-on ${mark}`,
    invoice_display_name: "Set-up",
    description: "Two hours of help",
    amount_cents: 20_000,
    amount_currency: "EUR",
    tax_codes: [],
  },
});
/** Of a fixed amount: one that has a percentage_rate takes no amount. */
const aCoupon = (mark: string) => ({
  coupon: {
    name: "Welcome",
    code: `coupon ${mark}`,
    description: "For new customers",
    coupon_type: "fixed_amount",
    amount_cents: 1000,
    amount_currency: "EUR",
    frequency: "recurring",
    frequency_duration: 3,
    expiration: "time_limit",
    expiration_at: "2099-12-31T23:59:59Z",
    reusable: false,
    applies_to: { plan_codes: [], billable_metric_codes: [] },
  },
});
const aTestClock = (mark: string) => ({ test_clock: { name: `clock ${mark}`, now: "2026-01-31T00:00:00Z" } });

/** A record made by POST, named by one of its members. */
const madeBy =
  (path: string, body: (mark: string) => object, parameter: string) =>
  async (call: Call, mark: string): Promise<Record<string, string>> => {
    const { status, body: answer, text } = await call("POST", path, body(mark));
    if (status !== 200) throw new Error(`POST ${path} refused its sample: ${text}`);
    const [record] = Object.values(answer) as Record<string, string>[];
    return { [parameter]: record?.[parameter] ?? "" };
  };

const givenTax = madeBy("/taxes", aTax, "code");
const givenCustomer = madeBy("/customers", aCustomer, "external_id");
const givenMetric = madeBy("/billable_metrics", aMetric, "code");
const givenMetricToCharge = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { svc_id = "" } = await madeBy("/billable_metrics", aMetric, "svc_id")(call, mark);
  return { metric_id: svc_id };
};
const givenPlan = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const metric = await givenMetricToCharge(call, mark);
  return { ...metric, ...(await madeBy("/plans", (mark) => aPlan(mark, metric), "code")(call, mark)) };
};
const givenAddOn = madeBy("/add_ons", anAddOn, "code");
const givenCoupon = madeBy("/coupons", aCoupon, "code");
const givenTestClock = madeBy("/test_clocks", aTestClock, "svc_id");

export const SAMPLES: Readonly<Record<string, Sample>> = {
  "GET /organizations": { permission: "organization" },
  "PUT /organizations": {
    permission: "organization",
    body: () => ({
      organization: {
        name: "Company",
        email_settings: ["invoice.finalized"],
        billing_configuration: { invoice_grace_period: 3 },
      },
    }),
  },

  "POST /taxes": { permission: "tax", body: aTax },
  "GET /taxes": { permission: "tax" },
  "GET /taxes/:code": { permission: "tax", given: givenTax },
  "PUT /taxes/:code": { permission: "tax", given: givenTax, body: () => ({ tax: { name: "Value added tax" } }) },
  "DELETE /taxes/:code": { permission: "tax", given: givenTax },

  "POST /customers": { permission: "customer", body: aCustomer },
  "GET /customers": { permission: "customer" },
  "GET /customers/:external_id": { permission: "customer", given: givenCustomer },
  "DELETE /customers/:external_id": { permission: "customer", given: givenCustomer },

  "POST /billable_metrics": { permission: "billable_metric", body: aMetric },
  "GET /billable_metrics": { permission: "billable_metric" },
  "GET /billable_metrics/:code": { permission: "billable_metric", given: givenMetric },
  "PUT /billable_metrics/:code": {
    permission: "billable_metric",
    given: givenMetric,
    body: (mark) => {
      const { code: _, ...members } = aMetric(mark).billable_metric;
      return { billable_metric: members };
    },
  },
  "DELETE /billable_metrics/:code": { permission: "billable_metric", given: givenMetric },

  "POST /plans": { permission: "plan", given: givenMetricToCharge, body: aPlan },
  "GET /plans": { permission: "plan" },
  "GET /plans/:code": { permission: "plan", given: givenPlan },
  "PUT /plans/:code": {
    permission: "plan",
    given: givenPlan,
    body: (mark, named) => {
      const { code: _, ...members } = aPlan(mark, named).plan;
      return { plan: members };
    },
    ignored: ["id"],
  },
  "DELETE /plans/:code": { permission: "plan", given: givenPlan },

  "POST /add_ons": { permission: "add_on", body: anAddOn },
  "GET /add_ons": { permission: "add_on" },
  "GET /add_ons/:code": { permission: "add_on", given: givenAddOn },
  "PUT /add_ons/:code": { permission: "add_on", given: givenAddOn, body: () => ({ add_on: { name: "Set-up" } }) },
  "DELETE /add_ons/:code": { permission: "add_on", given: givenAddOn },

  "POST /coupons": { permission: "coupon", body: aCoupon, ignored: ["percentage_rate"] },
  "GET /coupons": { permission: "coupon" },
  "GET /coupons/:code": { permission: "coupon", given: givenCoupon },
  "PUT /coupons/:code": {
    permission: "coupon",
    given: givenCoupon,
    body: () => ({ coupon: { name: "Hello" } }),
    ignored: ["percentage_rate"],
  },
  "DELETE /coupons/:code": { permission: "coupon", given: givenCoupon },

  "POST /test_clocks": { permission: "test_clock", body: aTestClock },
  "GET /test_clocks": { permission: "test_clock" },
  "GET /test_clocks/:svc_id": { permission: "test_clock", given: givenTestClock },
  "POST /test_clocks/:svc_id/advance": {
    permission: "test_clock",
    given: givenTestClock,
    body: () => ({ test_clock: { now: "2026-02-28T00:00:00Z" } }),
  },
  "DELETE /test_clocks/:svc_id": { permission: "test_clock", given: givenTestClock },
};

/** `/taxes/:code` with its parameters filled in. */
export const toPath = (pattern: string, parameters: Record<string, string>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
