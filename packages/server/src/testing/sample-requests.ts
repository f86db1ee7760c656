/** For every route under /api/v1 a request that succeeds: the tests that try every route are built from these. */
import { systemClock } from "../platform/clock.ts";
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
  /** Members that name another record: what is not found there is 404. */
  references?: readonly string[];
  /** What an unknown record is called, where it is not the resource whose right the route needs. */
  missing?: string;
  /** The query that the route cannot do without. */
  query?: (named: Record<string, string>) => Record<string, string>;
  /** Members that the record shows under another name. */
  shownAs?: Readonly<Record<string, string>>;
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
const aSubscription = (mark: string, { code = "", charge_id = "" }: Record<string, string>) => ({
  subscription: {
    external_customer_id: `customer ${mark}`,
    plan_code: code,
    external_id: `subscription ${mark}`,
    name: "Main workspace",
    billing_time: "anniversary",
    // In the past, but not by many periods: each of them is billed before the answer.
    subscription_at: systemClock
      .now()
      .subtract({ hours: 24 * 40 })
      .toString({ smallestUnit: "second" }),
    ending_at: "2099-12-31T00:00:00Z",
    plan_overrides: {
      name: "Startup for them",
      invoice_display_name: "Subscription",
      description: "Agreed by telephone",
      amount_cents: 3900,
      amount_currency: "EUR",
      trial_period: 7,
      tax_codes: [],
      minimum_commitment: { amount_cents: 50, invoice_display_name: "Minimum", tax_codes: [] },
      charges: [
        {
          id: charge_id,
          invoice_display_name: "Storage",
          min_amount_cents: 5,
          tax_codes: [],
          properties: { amount: "0.04", grouped_by: ["workspace"] },
          filters: [{ values: { region: ["eu"] }, properties: { amount: "0.05" }, invoice_display_name: "In Europe" }],
        },
      ],
    },
  },
});
const oneEvent = (mark: string) => ({
  transaction_id: `event ${mark}`,
  external_subscription_id: `subscription ${mark}`,
  code: `metric ${mark}`,
  timestamp: "1769850000.5",
  properties: { gigabytes: 12.5, region: "eu" },
});
const anEvent = (mark: string) => ({ event: oneEvent(mark) });
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
const givenPlanToSubscribe = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const metric = await givenMetricToCharge(call, mark);
  const { body } = await call("POST", "/plans", aPlan(mark, metric));
  return { ...metric, code: body.plan.code, charge_id: body.plan.charges[0].svc_id };
};
const givenSubscription = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const named = await givenPlanToSubscribe(call, mark);
  const { external_customer_id, external_id, plan_code } = aSubscription(mark, named).subscription;
  await call("POST", "/subscriptions", { subscription: { external_customer_id, external_id, plan_code } });
  return { ...named, external_id };
};
const givenSubscribedCustomer = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { external_id = "" } = await givenSubscription(call, mark);
  return { external_id: `customer ${mark}`, external_subscription_id: external_id };
};
/** To a plan with a charge that is paid in advance. */
const givenSubscriptionInAdvance = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const members = { name: "Seats", code: `seats ${mark}`, aggregation_type: "unique_count_agg", field_name: "user_id" };
  const { body } = await call("POST", "/billable_metrics", { billable_metric: members });
  const billable_metric_id = body.billable_metric.svc_id;
  const { plan } = aPlan(mark, { metric_id: billable_metric_id });
  const charge = { billable_metric_id, charge_model: "standard", pay_in_advance: true, properties: { amount: "12" } };
  await call("POST", "/plans", { plan: { ...plan, code: `seats ${mark}`, charges: [charge] } });
  const external_id = `seats ${mark}`;
  const subscription = { external_customer_id: `customer ${mark}`, external_id, plan_code: `seats ${mark}` };
  await call("POST", "/subscriptions", { subscription });
  return { external_id, metric_code: members.code };
};
const givenAddOn = madeBy("/add_ons", anAddOn, "code");
const givenCoupon = madeBy("/coupons", aCoupon, "code");
const givenEvent = madeBy("/events", anEvent, "transaction_id");
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

  "POST /subscriptions": {
    permission: "subscription",
    given: givenPlanToSubscribe,
    body: aSubscription,
    ignored: ["billable_metric_id"],
    shownAs: { plan_overrides: "plan" },
  },
  "GET /subscriptions": { permission: "subscription" },
  "GET /subscriptions/:external_id": { permission: "subscription", given: givenSubscription },
  "PUT /subscriptions/:external_id": {
    permission: "subscription",
    given: givenSubscription,
    body: (mark, named) => {
      const { name, ending_at, subscription_at, plan_overrides } = aSubscription(mark, named).subscription;
      return { subscription: { name, ending_at, subscription_at, plan_overrides }, status: "active" };
    },
    // What has begun keeps its start.
    ignored: ["billable_metric_id", "subscription_at", "status"],
    shownAs: { plan_overrides: "plan" },
  },
  "DELETE /subscriptions/:external_id": { permission: "subscription", given: givenSubscription },

  "GET /customers/:external_id/current_usage": {
    permission: "customer_usage",
    missing: "customer_not_found",
    given: givenSubscribedCustomer,
    query: ({ external_subscription_id = "" }) => ({ external_subscription_id }),
  },
  // A timestamp is a number in text, and shown as a datetime.
  "POST /events": { permission: "event", body: anEvent, ignored: ["timestamp"] },
  "POST /events/batch": {
    permission: "event",
    body: (mark) => ({ events: [oneEvent(mark)] }),
    ignored: ["timestamp"],
  },
  "GET /events": { permission: "event" },
  "GET /events/:transaction_id": { permission: "event", given: givenEvent },
  "POST /events/estimate_fees": {
    permission: "event",
    given: givenSubscriptionInAdvance,
    body: (_mark, { external_id, metric_code }) => ({
      event: { external_subscription_id: external_id, code: metric_code, properties: { user_id: "17" } },
    }),
    references: ["external_subscription_id", "code"],
  },

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

/** `/taxes/:code` with its parameters filled in, and the query it needs. */
export const toPath = (pattern: string, parameters: Record<string, string>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? "")) +
  queryOf(pattern, parameters);

/** Only what is read needs a query. */
export function queryOf(pattern: string, parameters: Record<string, string>): string {
  const query = SAMPLES[`GET ${pattern}`]?.query?.(parameters);
  return query ? `?${new URLSearchParams(query)}` : "";
}
