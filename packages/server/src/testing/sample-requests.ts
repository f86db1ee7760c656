/** A successful request for every route under /api/v1. The tests of all routes are built from these. */
import { INVOICE_SAMPLES } from "./invoice-samples.ts";
import { KEY_SAMPLES } from "./key-samples.ts";
import { OPERATOR_SAMPLES } from "./operator-samples.ts";
import { PEOPLE_SAMPLES } from "./people-samples.ts";
import type { Sample } from "./sample.ts";
import {
  aCoupon,
  aCreditNote,
  aCustomer,
  aMetric,
  anAddOn,
  anAppliedCoupon,
  anEvent,
  aPlan,
  aSubscription,
  aTax,
  aWallet,
  givenAddOn,
  givenAppliedCoupon,
  givenCoupon,
  givenCreditNote,
  givenCustomer,
  givenCustomerAndCoupon,
  givenEvent,
  givenFeeAlone,
  givenInvoice,
  givenMailableCreditNote,
  givenMetric,
  givenMetricToCharge,
  givenPaidInvoice,
  givenPlan,
  givenPlanToSubscribe,
  givenSubscribedCustomer,
  givenSubscription,
  givenSubscriptionInAdvance,
  givenTax,
  givenWallet,
  givenWalletTransaction,
  membersOf,
  oneEvent,
} from "./sample-records.ts";
import { WEBHOOK_SAMPLES } from "./webhook-samples.ts";

export type { Sample } from "./sample.ts";

const WALLET_DECIMALS = [
  "rate_amount",
  "paid_credits",
  "granted_credits",
  "threshold_credits",
  "target_ongoing_balance",
  "interval",
  "started_at",
];

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

  "POST /applied_coupons": {
    permission: "applied_coupon",
    given: givenCustomerAndCoupon,
    body: anAppliedCoupon,
    references: ["external_customer_id", "coupon_code"],
    ignored: ["percentage_rate"],
  },
  "GET /applied_coupons": { permission: "applied_coupon" },
  "DELETE /customers/:external_id/applied_coupons/:svc_id": {
    permission: "applied_coupon",
    given: givenAppliedCoupon,
    missing: "customer_not_found",
  },

  "POST /subscriptions": {
    permission: "subscription",
    given: givenPlanToSubscribe,
    body: aSubscription,
    ignored: ["billable_metric_id"],
    also: "plan_override",
    shownAs: { plan_overrides: "plan" },
  },
  "POST /subscriptions/preview": {
    permission: "subscription",
    isReading: true,
    also: "invoice",
    given: givenPlanToSubscribe,
    body: (mark, named) => ({ change: "create", ...aSubscription(mark, named) }),
    ignored: membersOf(aSubscription("", {})),
    references: ["plan_code"],
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
    // A started subscription keeps its start.
    ignored: ["billable_metric_id", "subscription_at", "status"],
    also: "plan_override",
    shownAs: { plan_overrides: "plan" },
  },
  "DELETE /subscriptions/:external_id": { permission: "subscription", given: givenSubscription },

  "GET /customers/:external_id/current_usage": {
    permission: "customer_usage",
    missing: "customer_not_found",
    given: givenSubscribedCustomer,
    query: ({ external_subscription_id = "" }) => ({ external_subscription_id }),
  },
  "GET /customers/:external_id/past_usage": {
    permission: "customer_usage",
    missing: "customer_not_found",
    given: givenSubscribedCustomer,
    query: ({ external_subscription_id = "" }) => ({ external_subscription_id }),
  },

  ...INVOICE_SAMPLES,
  "GET /fees": { permission: "fee" },
  "GET /fees/:svc_id": {
    permission: "fee",
    given: async (call, mark) => ({ svc_id: (await givenInvoice(call, mark)).fee_id ?? "" }),
  },

  "GET /fees/:svc_id/explanation": {
    permission: "fee",
    given: async (call, mark) => ({ svc_id: (await givenInvoice(call, mark)).fee_id ?? "" }),
  },
  "GET /fees/:svc_id/explanation/events": {
    permission: "fee",
    given: async (call, mark) => ({ svc_id: (await givenInvoice(call, mark)).fee_id ?? "" }),
  },

  "PUT /fees/:svc_id": {
    permission: "fee",
    given: givenFeeAlone,
    body: () => ({ fee: { payment_status: "succeeded" } }),
  },
  "DELETE /fees/:svc_id": { permission: "fee", given: givenFeeAlone },

  "POST /credit_notes": {
    permission: "credit_note",
    given: givenPaidInvoice,
    body: aCreditNote,
    references: ["invoice_id", "fee_id"],
    shownAs: { invoice_id: "svc_invoice_id" },
    ignored: ["fee_id"],
  },
  "POST /credit_notes/estimate": {
    permission: "credit_note",
    given: givenPaidInvoice,
    body: (mark, named) => {
      const { invoice_id, items } = aCreditNote(mark, named).credit_note;
      return { credit_note: { invoice_id, items } };
    },
    references: ["invoice_id", "fee_id"],
    ignored: ["invoice_id", "fee_id", "amount_cents"],
  },
  "GET /credit_notes": { permission: "credit_note" },
  "GET /credit_notes/:svc_id": { permission: "credit_note", given: givenCreditNote },
  "PUT /credit_notes/:svc_id": {
    permission: "credit_note",
    given: givenCreditNote,
    body: () => ({ credit_note: { refund_status: "succeeded" } }),
  },
  "PUT /credit_notes/:svc_id/void": { permission: "credit_note", given: givenCreditNote, isAction: true },

  "POST /credit_notes/:svc_id/download": {
    permission: "credit_note",
    given: givenCreditNote,
    isAction: true,
    answers: 202,
  },

  "POST /wallets": {
    permission: "wallet",
    given: givenCustomer,
    body: aWallet,
    references: ["external_customer_id"],
    // Decimals are shown in another format; a threshold has no interval.
    ignored: WALLET_DECIMALS,
  },
  "GET /wallets": { permission: "wallet" },
  "GET /wallets/:svc_id": { permission: "wallet", given: givenWallet },
  "PUT /wallets/:svc_id": {
    permission: "wallet",
    given: givenWallet,
    body: (mark) => {
      const { name, expiration_at, recurring_transaction_rules } = aWallet(mark).wallet;
      return { wallet: { name, expiration_at, recurring_transaction_rules } };
    },
    ignored: WALLET_DECIMALS,
  },
  "DELETE /wallets/:svc_id": { permission: "wallet", given: givenWallet },
  "GET /wallets/:svc_id/wallet_transactions": {
    permission: "wallet_transaction",
    missing: "wallet_not_found",
    given: givenWallet,
  },
  "GET /wallet_transactions/:svc_id": { permission: "wallet_transaction", given: givenWalletTransaction },
  "POST /wallet_transactions": {
    permission: "wallet_transaction",
    given: givenWallet,
    body: (_mark, { svc_id }) => ({
      wallet_transaction: { wallet_id: svc_id, paid_credits: "10.0", granted_credits: "5.0", voided_credits: "1.0" },
    }),
    references: ["wallet_id"],
    ignored: ["wallet_id", "paid_credits", "granted_credits", "voided_credits"],
    shownAs: { wallet_transaction: ["wallet_transactions", 0] },
  },

  // A timestamp is a number in a string, and shown as a datetime.
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
    ignored: ["transaction_id", "timestamp"],
  },

  "GET /search": {
    permission: "any",
    given: givenCustomer,
    query: ({ external_id = "customer" }) => ({ term: external_id }),
  },

  "GET /mails": { permission: "mail" },
  "POST /credit_notes/:svc_id/resend_email": {
    permission: "credit_note",
    isAction: true,
    given: givenMailableCreditNote,
  },

  ...KEY_SAMPLES,
  ...OPERATOR_SAMPLES,
  ...PEOPLE_SAMPLES,
  ...WEBHOOK_SAMPLES,
};

/** `/taxes/:code` with its parameters and its mandatory query. */
export const toPath = (pattern: string, parameters: Record<string, string>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? "")) +
  queryOf(pattern, parameters);

/** Only reads need a query. */
export function queryOf(pattern: string, parameters: Record<string, string>): string {
  const query = SAMPLES[`GET ${pattern}`]?.query?.(parameters);
  return query ? `?${new URLSearchParams(query)}` : "";
}
