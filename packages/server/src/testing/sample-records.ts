/** Records for sample requests: their bodies, and the records they depend on. */
import { systemClock } from "../platform/clock.ts";
import type { Call, Deliver } from "./start-tallystick.ts";

export const aTax = (mark: string) => ({ tax: { name: "VAT", code: `tax ${mark}`, rate: "20" } });
export const aCustomer = (mark: string) => ({
  customer: {
    external_id: `customer ${mark}`,
    name: "Customer",
    shipping_address: { city: "Paris" },
    billing_configuration: { payment_provider: "stripe", provider_payment_methods: ["card"] },
    metadata: [{ key: "key", value: "value", display_in_invoice: true }],
    tax_codes: [],
  },
});
/** The kind of metric that has every member. */
export const aMetric = (mark: string) => ({
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
export const aPlan = (mark: string, { metric_id }: Record<string, string>) => ({
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
export const anAddOn = (mark: string) => ({
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
/** A fixed amount, because a coupon with a percentage_rate has no amount. */
export const aCoupon = (mark: string) => ({
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
export const aSubscription = (mark: string, { code = "", charge_id = "" }: Record<string, string>) => ({
  subscription: {
    external_customer_id: `customer ${mark}`,
    plan_code: code,
    external_id: `subscription ${mark}`,
    name: "Main workspace",
    billing_time: "anniversary",
    // In the past, but only by a few periods, because each is billed before the answer.
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
export const oneEvent = (mark: string) => ({
  transaction_id: `event ${mark}`,
  external_subscription_id: `subscription ${mark}`,
  code: `metric ${mark}`,
  timestamp: "1769850000.5",
  properties: { gigabytes: 12.5, region: "eu" },
});
export const anEvent = (mark: string) => ({ event: oneEvent(mark) });
export const aTestClock = (mark: string) => ({ test_clock: { name: `clock ${mark}`, now: "2026-01-31T00:00:00Z" } });

/** Creates a record by POST and returns one of its members as its name. */
const madeBy =
  (path: string, body: (mark: string) => object, parameter: string) =>
  async (call: Call, mark: string): Promise<Record<string, string>> => {
    const { status, body: answer, text } = await call("POST", path, body(mark));
    if (status !== 200) throw new Error(`POST ${path} refused its sample: ${text}`);
    const [record] = Object.values(answer) as Record<string, string>[];
    return { [parameter]: record?.[parameter] ?? "" };
  };

export const givenTax = madeBy("/taxes", aTax, "code");
export const givenCustomer = madeBy("/customers", aCustomer, "external_id");
export const givenMetric = madeBy("/billable_metrics", aMetric, "code");
export const givenMetricToCharge = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { svc_id = "" } = await madeBy("/billable_metrics", aMetric, "svc_id")(call, mark);
  return { metric_id: svc_id };
};
export const givenPlan = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const metric = await givenMetricToCharge(call, mark);
  return { ...metric, ...(await madeBy("/plans", (mark) => aPlan(mark, metric), "code")(call, mark)) };
};
export const givenPlanToSubscribe = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const metric = await givenMetricToCharge(call, mark);
  const { body } = await call("POST", "/plans", aPlan(mark, metric));
  return { ...metric, code: body.plan.code, charge_id: body.plan.charges[0].svc_id };
};
export const givenSubscription = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const named = await givenPlanToSubscribe(call, mark);
  const { external_customer_id, external_id, plan_code } = aSubscription(mark, named).subscription;
  await call("POST", "/subscriptions", { subscription: { external_customer_id, external_id, plan_code } });
  return { ...named, external_id };
};
export const givenSubscribedCustomer = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { external_id = "" } = await givenSubscription(call, mark);
  return { external_id: `customer ${mark}`, external_subscription_id: external_id };
};
/** On a plan with a charge in advance. */
export const givenSubscriptionInAdvance = async (call: Call, mark: string): Promise<Record<string, string>> => {
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
export const givenAddOn = madeBy("/add_ons", anAddOn, "code");
export const givenCoupon = madeBy("/coupons", aCoupon, "code");
export const anInvoice = (mark: string) => anInvoiceWith(mark, []);
const anInvoiceWith = (mark: string, tax_codes: readonly string[]) => ({
  invoice: {
    external_customer_id: `customer ${mark}`,
    currency: "EUR",
    fees: [{ add_on_code: `add-on ${mark}`, units: "2.5", unit_amount_cents: 333, description: "Agreed", tax_codes }],
  },
});
export const givenCustomerAndCoupon = async (call: Call, mark: string): Promise<Record<string, string>> => ({
  ...(await givenCustomer(call, mark)),
  ...(await givenCoupon(call, mark)),
});
export const anAppliedCoupon = (mark: string) => ({
  applied_coupon: {
    external_customer_id: `customer ${mark}`,
    coupon_code: `coupon ${mark}`,
    amount_cents: 500,
    amount_currency: "EUR",
    frequency: "recurring",
    frequency_duration: 2,
  },
});
export const givenAppliedCoupon = async (call: Call, mark: string): Promise<Record<string, string>> => ({
  ...(await givenCustomerAndCoupon(call, mark)),
  ...(await madeBy("/applied_coupons", anAppliedCoupon, "svc_id")(call, mark)),
});
export const givenCustomerAndAddOn = async (call: Call, mark: string): Promise<Record<string, string>> => {
  await givenCustomer(call, mark);
  await givenAddOn(call, mark);
  return {};
};
export const givenInvoice = (call: Call, mark: string): Promise<Record<string, string>> =>
  givenInvoiceWith(call, mark, []);
const givenInvoiceWith = async (
  call: Call,
  mark: string,
  taxCodes: readonly string[],
): Promise<Record<string, string>> => {
  await givenCustomerAndAddOn(call, mark);
  const { body, text } = await call("POST", "/invoices", anInvoiceWith(mark, taxCodes));
  if (!body.invoice) throw new Error(`POST /invoices refused its sample: ${text}`);
  return { svc_id: body.invoice.svc_id, fee_id: body.invoice.fees[0].svc_id };
};
/** On a paid invoice, so that it can be refunded: 2.5 × 3.33 is 8.33. */
export const aCreditNote = (_mark: string, { invoice_id = "", fee_id = "" }: Record<string, string>) => ({
  credit_note: {
    invoice_id,
    reason: "duplicated_charge",
    description: "Billed twice",
    credit_amount_cents: 400,
    refund_amount_cents: 433,
    items: [{ fee_id, amount_cents: 833 }],
  },
});
export const givenPaidInvoice = async (call: Call, mark: string): Promise<Record<string, string>> => {
  // The organization may have any taxes by then.
  const { tax } = aTax(mark);
  await call("POST", "/taxes", { tax: { ...tax, rate: "0" } });
  const { svc_id: invoice_id = "", fee_id = "" } = await givenInvoiceWith(call, mark, [tax.code]);
  await call("PUT", `/invoices/${invoice_id}`, { invoice: { payment_status: "succeeded" } });
  return { invoice_id, fee_id };
};
export const givenCreditNote = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const named = await givenPaidInvoice(call, mark);
  const { body, text } = await call("POST", "/credit_notes", aCreditNote(mark, named));
  if (!body.credit_note) throw new Error(`POST /credit_notes refused its sample: ${text}`);
  return { svc_id: body.credit_note.svc_id };
};
/** For a customer with an email address. */
const withEmail =
  (given: (call: Call, mark: string) => Promise<Record<string, string>>) =>
  async (call: Call, mark: string): Promise<Record<string, string>> => {
    const named = await given(call, mark);
    await call("POST", "/customers", { customer: { external_id: `customer ${mark}`, email: "buyer@example.com" } });
    return named;
  };
export const givenMailableInvoice = withEmail(givenInvoice);
export const givenMailableCreditNote = withEmail(givenCreditNote);
/** For a customer with a grace period, on a test clock at the end of a period. */
export const givenDraft = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { test_clock } = (await call("POST", "/test_clocks", aTestClock(mark))).body;
  const external_id = `customer ${mark}`;
  const billing_configuration = { invoice_grace_period: 3 };
  await call("POST", "/customers", {
    customer: { external_id, test_clock_id: test_clock.svc_id, billing_configuration },
  });
  const terms = { name: "Plan", interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { ...terms, code: `drafts ${mark}` } });
  const subscription = {
    external_customer_id: external_id,
    external_id: `drafts ${mark}`,
    plan_code: `drafts ${mark}`,
  };
  await call("POST", "/subscriptions", { subscription });
  const advance = { test_clock: { now: "2026-02-01T00:00:00Z" } };
  await call("POST", `/test_clocks/${test_clock.svc_id}/advance`, advance);
  const { body } = await call("GET", `/invoices?external_customer_id=${encodeURIComponent(external_id)}`);
  return { svc_id: body.invoices[0].svc_id };
};
/** For a charge that is not invoiced, renewed for a new period. */
export const givenFeeAlone = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { test_clock } = (await call("POST", "/test_clocks", aTestClock(mark))).body;
  const external_customer_id = `customer ${mark}`;
  const external_id = `alone ${mark}`;
  await call("POST", "/customers", {
    customer: { external_id: external_customer_id, test_clock_id: test_clock.svc_id },
  });
  const metric = { name: "Seats", code: external_id, aggregation_type: "unique_count_agg", field_name: "user_id" };
  const made = await call("POST", "/billable_metrics", { billable_metric: { ...metric, recurring: true } });
  const charge = {
    billable_metric_id: made.body.billable_metric.svc_id,
    charge_model: "standard",
    pay_in_advance: true,
    invoiceable: false,
    properties: { amount: "12" },
  };
  const terms = { name: "Plan", interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await call("POST", "/plans", { plan: { ...terms, code: external_id, charges: [charge] } });
  await call("POST", "/subscriptions", { subscription: { external_customer_id, external_id, plan_code: external_id } });
  const event = { transaction_id: mark, external_subscription_id: external_id, code: external_id };
  await call("POST", "/events", { event: { ...event, properties: { user_id: "17" } } });
  const advance = { test_clock: { now: "2026-02-01T00:00:00Z" } };
  await call("POST", `/test_clocks/${test_clock.svc_id}/advance`, advance);
  const { body } = await call("GET", `/fees?external_subscription_id=${encodeURIComponent(external_id)}`);
  const alone = body.fees.find((fee: { svc_invoice_id: string | null }) => fee.svc_invoice_id === null);
  return { svc_id: alone.svc_id };
};
export const givenEvent = madeBy("/events", anEvent, "transaction_id");
export const givenTestClock = madeBy("/test_clocks", aTestClock, "svc_id");
/** Without credits, so that tests can try any rate. */
export const aWallet = (mark: string) => ({
  wallet: {
    external_customer_id: `customer ${mark}`,
    rate_amount: "1.5",
    name: "Prepaid",
    currency: "EUR",
    priority: 7,
    expiration_at: "2099-12-31T23:59:59Z",
    recurring_transaction_rules: [
      {
        trigger: "threshold",
        threshold_credits: "1.0",
        method: "fixed",
        paid_credits: "10.0",
        granted_credits: "2.0",
      },
    ],
  },
});
export const givenWallet = async (call: Call, mark: string): Promise<Record<string, string>> => {
  await givenCustomer(call, mark);
  const credits = { paid_credits: "10.0", granted_credits: "5.0" };
  return madeBy("/wallets", () => ({ wallet: { ...aWallet(mark).wallet, ...credits } }), "svc_id")(call, mark);
};
export const givenWalletTransaction = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { svc_id } = await givenWallet(call, mark);
  const { body } = await call("GET", `/wallets/${svc_id}/wallet_transactions`);
  return { svc_id: body.wallet_transactions[0].svc_id };
};

export const aWebhookEndpoint = (mark: string) => ({
  webhook_endpoint: {
    webhook_url: `https://hooks.example/${encodeURIComponent(mark)}`,
    name: "Books",
    event_types: ["invoice.created"],
    signature_algo: "hmac",
  },
});
const LOGGED_ENDPOINT = "https://hooks.example/logged";
/** The number of endpoints is limited, so those of other samples are deleted, except the one whose webhooks are checked. */
export async function givenRoomForEndpoint(call: Call): Promise<Record<string, string>> {
  const { body } = await call("GET", "/webhook_endpoints");
  for (const { svc_id, webhook_url } of body.webhook_endpoints)
    if (webhook_url !== LOGGED_ENDPOINT) await call("DELETE", `/webhook_endpoints/${svc_id}`);
  return {};
}
export async function givenWebhookEndpoint(call: Call, mark: string): Promise<Record<string, string>> {
  await givenRoomForEndpoint(call);
  return madeBy("/webhook_endpoints", aWebhookEndpoint, "svc_id")(call, mark);
}
/** The customer's message to an endpoint, which is queued and not sent. */
export async function givenWebhook(call: Call, mark: string, deliver?: Deliver): Promise<Record<string, string>> {
  await givenRoomForEndpoint(call);
  // After the first time it already exists.
  await call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: LOGGED_ENDPOINT } });
  const { body } = await call("POST", "/customers", aCustomer(mark));
  await deliver?.(body.customer.svc_id);
  const found = await call("GET", `/webhooks?object_id=${body.customer.svc_id}`);
  return { svc_id: found.body.webhooks[0].svc_id };
}

/** The names of all members of a body, for answers that show none of them. */
export const membersOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, member]) => [...(Array.isArray(value) ? [] : [name]), ...membersOf(member)])
    : [];
