/**
 * The published client of the service that existing users come from, as it is, against this one. The compiler checks what the journey sends
 * and reads against the client's types, and each answer is checked against them here.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client, getLagoError } from "lago-javascript-client";
import { expect, test } from "vitest";
import { DIFFERENT, NOT_TAKEN, REFUSED, WITHOUT_ROUTE } from "../testing/client-gaps.ts";
import {
  type ClientOperation,
  type Description,
  describedAs,
  groupsOf,
  listOperations,
  notTaken,
} from "../testing/client-operations.ts";
import { faultsOf, readClientTypes } from "../testing/client-types.ts";
import { makeTestKey } from "../testing/make-test-key.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const MODULE = fileURLToPath(import.meta.resolve("lago-javascript-client"));
const clientTypes = readClientTypes(readFileSync(MODULE.replace("mod.js", "openapi/client.d.ts"), "utf8"));

let now = Temporal.Instant.from("2026-01-10T12:00:00Z");
const { platform, app, call, organizations, drain } = await startTallystick({ clock: { now: () => now } });
await call("PUT", "/organizations", { organization: { field_prefix: "lago" } });
const { token } = await makeTestKey(platform, organizations[0]?.id ?? "");
const address = await app.listen({ host: "127.0.0.1", port: 0 });
const baseUrl = `${address}/api/v1`;
const api = Client(token, { baseUrl });

/** Answered in an envelope, as the service does that the client was made for; the client's type leaves it out. */
const ENVELOPED: Record<string, (data: unknown) => unknown> = {
  findWalletTransaction: (data) => (data as { wallet_transaction: unknown }).wallet_transaction,
};

/** What was called, and what the client's types say of the answers. */
const called = new Set<string>();
const found = new Set<string>();
for (const [group, operations] of groupsOf(api))
  for (const [name, operation] of Object.entries(operations))
    operations[name] = async (...args) => {
      const answer = await operation(...args).catch(async (refusal: Response) => {
        throw new Error(`${group}.${name}: ${JSON.stringify(await getLagoError(refusal))}`);
      });
      called.add(`${group}.${name}`);
      const type = clientTypes.operations.get(name)?.answer ?? { kind: "name", name: `answer of ${name}` };
      for (const fault of faultsOf(ENVELOPED[name]?.(answer.data) ?? answer.data, type, clientTypes)) found.add(fault);
      return answer;
    };

const passTo = async (instant: string): Promise<void> => {
  now = Temporal.Instant.from(instant);
  await drain();
};

const { organization } = (await api.organizations.findOrganization()).data;
await api.organizations.updateOrganization({ organization: { country: "FR", timezone: "UTC", net_payment_term: 7 } });

const TAX = { name: "VAT", code: "vat", rate: "20.0" };
await api.taxes.createTax({ tax: TAX });
await api.taxes.updateTax("vat", { tax: { name: "Value added tax" } });
await api.taxes.findTax("vat");
await api.taxes.findAllTaxes({ page: 1, per_page: 10 });

const CALLS = { name: "Calls", code: "calls", aggregation_type: "sum_agg", field_name: "units" } as const;
const { billable_metric: calls } = (
  await api.billableMetrics.createBillableMetric({
    billable_metric: { ...CALLS, filters: [{ key: "region", values: ["eu", "us"] }] },
  })
).data;
const { billable_metric: seats } = (
  await api.billableMetrics.createBillableMetric({
    billable_metric: {
      name: "Seats",
      code: "seats",
      aggregation_type: "unique_count_agg",
      field_name: "user",
      recurring: true,
    },
  })
).data;
await api.billableMetrics.updateBillableMetric("calls", { billable_metric: { description: "API calls" } });
await api.billableMetrics.findBillableMetric("calls");
await api.billableMetrics.findAllBillableMetrics();

await api.addOns.createAddOn({ add_on: { name: "Setup", code: "setup", amount_cents: 5000, amount_currency: "EUR" } });
await api.addOns.updateAddOn("setup", { add_on: { description: "Once" } });
await api.addOns.findAddOn("setup");
await api.addOns.findAllAddOns();

const TERMS = { interval: "monthly", amount_currency: "EUR", pay_in_advance: false } as const;
await api.plans.createPlan({
  plan: {
    ...{ ...TERMS, name: "Pro", code: "pro", amount_cents: 1000, tax_codes: ["vat"] },
    minimum_commitment: { amount_cents: 1500, invoice_display_name: "Minimum" },
    charges: [
      {
        billable_metric_id: calls.lago_id,
        charge_model: "standard",
        properties: { amount: "0.50" },
        filters: [{ values: { region: ["eu"] }, properties: { amount: "1" }, invoice_display_name: "Europe" }],
      },
    ],
  },
});
await api.plans.createPlan({
  plan: {
    ...{ ...TERMS, name: "Seats", code: "seats", amount_cents: 0 },
    charges: [
      {
        ...{ billable_metric_id: seats.lago_id, charge_model: "standard", properties: { amount: "12" } },
        ...{ pay_in_advance: true, invoiceable: false },
      },
    ],
  },
});
await api.plans.updatePlan("pro", { plan: { name: "Professional" } });
await api.plans.findPlan("pro");
await api.plans.findAllPlans();

const COUPON = {
  name: "Less",
  code: "less",
  coupon_type: "fixed_amount",
  amount_cents: 100,
  amount_currency: "EUR",
} as const;
await api.coupons.createCoupon({
  coupon: { ...COUPON, frequency: "once", expiration: "no_expiration", reusable: true },
});
await api.coupons.updateCoupon("less", { coupon: { description: "A gift" } });
await api.coupons.findCoupon("less");
await api.coupons.findAllCoupons();

const { customer } = (
  await api.customers.createCustomer({
    customer: {
      ...{ external_id: "acme", name: "Acme", email: "buyer@acme.example", country: "FR", currency: "EUR" },
      metadata: [{ key: "crm", value: "17", display_in_invoice: true }],
    },
  })
).data;
await api.customers.createCustomer({
  customer: { external_id: "globex", currency: "EUR", billing_configuration: { invoice_grace_period: 5 } },
});
await api.customers.findCustomer("acme");
await api.customers.findAllCustomers({ page: 1, per_page: 5 });

const { applied_coupon } = (
  await api.appliedCoupons.applyCoupon({ applied_coupon: { external_customer_id: "acme", coupon_code: "less" } })
).data;
await api.appliedCoupons.applyCoupon({ applied_coupon: { external_customer_id: "globex", coupon_code: "less" } });
await api.appliedCoupons.findAllAppliedCoupons();
await api.customers.deleteAppliedCoupon("acme", applied_coupon.lago_id);

await api.webhooks.fetchPublicKey({ format: "text" });
await api.webhooks.fetchJsonPublicKey();
const { webhook_endpoint } = (
  await api.webhookEndpoints.createWebhookEndpoint({
    webhook_endpoint: { webhook_url: "https://hooks.example/in", signature_algo: "hmac" },
  })
).data;
await api.webhookEndpoints.updateWebhookEndpoint(webhook_endpoint.lago_id, {
  webhook_endpoint: { webhook_url: "https://hooks.example/other" },
});
await api.webhookEndpoints.findWebhookEndpoint(webhook_endpoint.lago_id);
await api.webhookEndpoints.findAllWebhookEndpoints();
await api.webhookEndpoints.destroyWebhookEndpoint(webhook_endpoint.lago_id);

const subscribe = async (external_id: string, external_customer_id: string, plan_code: string) =>
  (await api.subscriptions.createSubscription({ subscription: { external_id, external_customer_id, plan_code } })).data
    .subscription;
const main = await subscribe("main", "acme", "pro");
await subscribe("seats", "acme", "seats");
await subscribe("draft", "globex", "pro");
await api.subscriptions.updateSubscription("main", { subscription: { name: "Main", ending_at: null } });
await api.subscriptions.findSubscription("main");
await api.subscriptions.findAllSubscriptions({ external_customer_id: "acme" });

const used = (transaction_id: string, units: number, region = "eu") => ({
  ...{ transaction_id, code: "calls", external_subscription_id: "main", timestamp: "1768046400" },
  properties: { units, region },
});
await api.events.createEvent({ event: used("e1", 3) });
await api.events.createBatchEvents({ events: [used("e2", 4, "us"), used("e3", 5)] });
await api.events.createEvent({
  event: { transaction_id: "s1", code: "seats", external_subscription_id: "seats", properties: { user: "ann" } },
});
await api.events.eventEstimateFees({
  event: { code: "seats", external_subscription_id: "seats", properties: { user: "bob" } },
});
await api.events.findEvent("e1");
await api.events.findAllEvents();
await api.customers.findCustomerCurrentUsage("acme", { external_subscription_id: "main" });
await drain();

const { wallet } = (
  await api.wallets.createWallet({
    wallet: {
      external_customer_id: "globex",
      name: "Credits",
      rate_amount: "1.0",
      currency: "EUR",
      granted_credits: "10",
    },
  })
).data;
await api.wallets.updateWallet(wallet.lago_id, { wallet: { name: "More credits" } });
await api.wallets.findWallet(wallet.lago_id);
await api.wallets.findAllWallets({ external_customer_id: "globex" });
const [transaction] = (
  await api.walletTransactions.createWalletTransaction({
    wallet_transaction: { wallet_id: wallet.lago_id, granted_credits: "5" },
  })
).data.wallet_transactions;
await api.walletTransactions.findWalletTransaction(transaction?.lago_id ?? "");
await api.wallets.findAllWalletTransactions(wallet.lago_id);

await passTo("2026-02-01T03:00:00Z");
await api.customers.findAllCustomerPastUsage("acme", { external_subscription_id: "main" });

const [draft] = (await api.invoices.findAllInvoices({ external_customer_id: "globex" })).data.invoices;
await api.invoices.refreshInvoice(draft?.lago_id ?? "");
await api.invoices.finalizeInvoice(draft?.lago_id ?? "");
await api.invoices.findInvoice(draft?.lago_id ?? "");

const oneOff = async () =>
  (
    await api.invoices.createInvoice({
      invoice: {
        external_customer_id: "acme",
        currency: "EUR",
        fees: [{ add_on_code: "setup", units: 2, tax_codes: ["vat"] }],
      },
    })
  ).data.invoice;
const disputed = await oneOff();
await api.invoices.loseDisputeInvoice(disputed.lago_id);
await api.invoices.voidInvoice((await oneOff()).lago_id);
const paid = await oneOff();
await api.invoices.updateInvoice(paid.lago_id, {
  invoice: { payment_status: "succeeded", metadata: [{ key: "order", value: "42" }] },
});
await api.invoices.downloadInvoice(paid.lago_id);
await drain();
await api.invoices.downloadInvoice(paid.lago_id);

const { fees } = (await api.fees.findAllFees({ external_subscription_id: "seats" })).data;
const [settled, removed] = fees.filter(({ lago_invoice_id }) => lago_invoice_id === null);
await api.fees.updateFee(settled?.lago_id ?? "", { fee: { payment_status: "succeeded" } });
await api.fees.deleteFee(removed?.lago_id ?? "");
const [fee] = paid.fees ?? [];
await api.fees.findFee(fee?.lago_id ?? "");

const items = [{ fee_id: fee?.lago_id ?? "", amount_cents: 100 }];
await api.creditNotes.estimateCreditNote({ credit_note: { invoice_id: paid.lago_id, items } });
const credited = (amounts: { credit_amount_cents: number; refund_amount_cents: number }) =>
  api.creditNotes.createCreditNote({ credit_note: { invoice_id: paid.lago_id, reason: "other", items, ...amounts } });
const { credit_note: refunded } = (await credited({ credit_amount_cents: 0, refund_amount_cents: 120 })).data;
const { credit_note: kept } = (await credited({ credit_amount_cents: 120, refund_amount_cents: 0 })).data;
await api.creditNotes.updateCreditNote(refunded.lago_id, { credit_note: { refund_status: "succeeded" } });
await api.creditNotes.voidCreditNote(kept.lago_id);
await api.creditNotes.findCreditNote(refunded.lago_id);
await api.creditNotes.findAllCreditNotes({ external_customer_id: "acme" });
await api.creditNotes.downloadCreditNote(refunded.lago_id);
await drain();
await api.creditNotes.downloadCreditNote(refunded.lago_id);

const { subscription: ended } = (await api.subscriptions.destroySubscription("main")).data;
await api.wallets.destroyWallet(wallet.lago_id);
await api.coupons.destroyCoupon("less");
await api.plans.destroyPlan("pro");
await api.addOns.destroyAddOn("setup");
await api.billableMetrics.destroyBillableMetric("calls");
await api.taxes.destroyTax("vat");
await api.customers.destroyCustomer("acme");

const described = await app.inject({ url: "/openapi.json", headers: { authorization: `Bearer ${token}` } });
const description: Description = described.json();
const operations = await listOperations((customFetch) => Client("", { baseUrl: "", customFetch }));
const here = operations.filter((operation) => describedAs(description, operation));
const namesOf = (all: readonly ClientOperation[]) => all.map(({ operation }) => operation);
const sorted = (names: Iterable<string>) => [...names].sort();

test("every operation of the client that has a route here succeeds, but for those that are named with a reason", () => {
  expect(operations.length).toBe(217);
  expect(here.length).toBe(83);
  expect(sorted([...called, ...REFUSED.keys()])).toEqual(sorted(namesOf(here)));
});

test("every other operation is named with a reason", () => {
  const elsewhere = operations.filter((operation) => !here.includes(operation));
  expect(sorted(WITHOUT_ROUTE.keys())).toEqual(sorted(namesOf(elsewhere)));
});

test("every member and parameter that the client can send is taken, but for those that are named with a reason", () => {
  const possible = here.filter(({ operation }) => !REFUSED.has(operation));
  const missing = new Set(possible.flatMap((operation) => notTaken(description, operation, clientTypes)));
  expect(sorted(NOT_TAKEN.keys())).toEqual(sorted(missing));
});

test("every answer is as the client's types say, but for the members that are named with a reason", () => {
  expect(sorted(found)).toEqual(sorted(DIFFERENT.keys()));
});

test("the client reads members by its own names", () => {
  expect([organization.lago_id, main.lago_customer_id]).toEqual([organizations[0]?.id, customer.lago_id]);
  expect([ended.status, fee?.lago_invoice_id]).toEqual(["terminated", paid.lago_id]);
});

test("the client reads refusals", async () => {
  const create = () => Client(token, { baseUrl }).taxes.createTax({ tax: { code: "x" } });
  const refusal = await create().catch((error) => getLagoError<typeof api.taxes.createTax>(error));
  expect(refusal).toMatchObject({
    status: 422,
    code: "validation_errors",
    error_details: { name: ["value_is_mandatory"] },
  });
  const retried = await Client(token, { baseUrl }).invoices.retryInvoice(paid.lago_id).catch(getLagoError);
  expect(retried).toMatchObject({ status: 405, code: "invalid_status" });
});

test("what the client's types do not allow is noticed", () => {
  const { types } = clientTypes;
  const says = (value: unknown, name: string) => faultsOf(value, { kind: "name", name }, clientTypes);
  const tax = { lago_id: "1", name: "A", code: "a", rate: 1, applied_to_organization: true, created_at: "2026" };
  expect(types.size).toBeGreaterThan(300);
  expect(says(tax, "TaxObject")).toEqual([]);
  expect(says({ ...tax, rate: "1" }, "TaxObject")).toEqual(["TaxObject.rate is a string"]);
  expect(says({ ...tax, code: undefined }, "TaxObject")).toEqual(["TaxObject.code is missing"]);
  expect(says({ ...tax, code: null }, "TaxObject")).toEqual(["TaxObject.code is null"]);
  expect(says({ taxes: [tax, { ...tax, name: 1 }] }, "TaxesPaginated")).toEqual([
    "TaxObject.name is a number",
    "TaxesPaginated.meta is missing",
  ]);
  expect(says("never", "OrderStatusEnum")).toEqual(['answer is "never"']);
});
