// Last invoices of deleted customers on the real clock, where the final bill waits for late usage, for a pause and for a release.

import { recomputeInvoice } from "@tallystick/second-opinion";
import { expect, test } from "vitest";
import { newId } from "../../../platform/new-id.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { verify } from "../../../verify/index.ts";
import { listHeld, releaseInvoice, setPaused } from "./index.ts";

let now = Temporal.Instant.from("2026-01-10T12:00:00Z");
let isWrong = false;
const { call, drain, platform, organizations } = await startTallystick({
  clock: { now: () => now },
  recomputeInvoice: (one) => ({ ...recomputeInvoice(one), ...(isWrong ? { total: "1" } : {}) }),
});
const organizationId = organizations[0]?.id ?? "";

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
await must(
  call("POST", "/plans", {
    plan: {
      name: "Plan",
      code: "plan",
      interval: "monthly",
      amount_cents: 3100,
      amount_currency: "EUR",
      pay_in_advance: false,
    },
  }),
);
const pass = async (minutes: number): Promise<void> => {
  now = now.add({ minutes });
  await drain();
};

/** It has a wallet of 100.00 and lasts one day, which costs 1.00 of 31.00. */
async function subscribe() {
  const external_id = newId();
  await must(call("POST", "/customers", { customer: { external_id, currency: "EUR" } }));
  const subscription = { external_customer_id: external_id, external_id, plan_code: "plan" };
  await must(call("POST", "/subscriptions", { subscription }));
  const wallet = { external_customer_id: external_id, rate_amount: "1", granted_credits: "100", name: external_id };
  const { svc_id } = (await must(call("POST", "/wallets", { wallet }))).wallet;
  await pass(1);
  return { external_id, wallet: svc_id as string };
}
const invoicesOf = async (customer: string) =>
  (await must(call("GET", `/invoices?external_customer_id=${customer}`))).invoices;
const walletOf = async (id: string) => (await must(call("GET", `/wallets/${id}`))).wallet;
const broken = async () =>
  (await verify(platform.config.DATABASE_URL, { now }))
    .filter(({ broken: count }) => count > 0)
    .map(({ name }) => name);

const ACTIVE = { status: "active", balance_cents: 10_000 };
const ENDED = { status: "terminated", balance_cents: 0, consumed_credits: "1.0" };
const PAID = { status: "finalized", fees_amount_cents: 100, prepaid_credit_amount_cents: 100, total_amount_cents: 0 };

test("the customer is deleted at once; its wallet ends with its last invoice, after the settle delay", async () => {
  const { external_id, wallet } = await subscribe();
  await must(call("DELETE", `/customers/${external_id}`));
  expect((await call("GET", `/customers/${external_id}`)).status).toBe(404);
  await drain();
  expect(await invoicesOf(external_id)).toEqual([]);
  expect(await walletOf(wallet)).toMatchObject(ACTIVE);
  expect(await broken()).toEqual([]);
  // The wallet accepts no credits meanwhile, and a new customer with the same id does not get it.
  const topUp = { wallet_transaction: { wallet_id: wallet, granted_credits: "5" } };
  expect((await call("POST", "/wallet_transactions", topUp)).body.error_details).toEqual({
    wallet_id: ["wallet_is_terminated"],
  });
  await must(call("POST", "/customers", { customer: { external_id, currency: "EUR" } }));
  expect((await must(call("GET", `/wallets?external_customer_id=${external_id}`))).wallets).toEqual([]);
  await pass(11);
  expect(await invoicesOf(external_id)).toMatchObject([PAID]);
  expect(await walletOf(wallet)).toMatchObject(ENDED);
  expect(await broken()).toEqual([]);
});

test("a customer without anything to bill is deleted at once", async () => {
  const external_id = newId();
  await must(call("POST", "/customers", { customer: { external_id, currency: "EUR" } }));
  const wallet = { external_customer_id: external_id, rate_amount: "1", granted_credits: "100" };
  const { svc_id } = (await must(call("POST", "/wallets", { wallet }))).wallet;
  await must(call("DELETE", `/customers/${external_id}`));
  expect(await walletOf(svc_id)).toMatchObject({ status: "terminated", balance_cents: 0 });
});

test("while billing is paused, the wallet waits with the last invoice", async () => {
  const { external_id, wallet } = await subscribe();
  await setPaused(platform, organizationId, now);
  await must(call("DELETE", `/customers/${external_id}`));
  await pass(60);
  expect(await walletOf(wallet)).toMatchObject(ACTIVE);
  await setPaused(platform, organizationId, null);
  await pass(11);
  expect(await invoicesOf(external_id)).toMatchObject([PAID]);
  expect(await walletOf(wallet)).toMatchObject(ENDED);
});

test("a held last invoice uses the wallet when it is released", async () => {
  const { external_id, wallet } = await subscribe();
  isWrong = true;
  await must(call("DELETE", `/customers/${external_id}`));
  await pass(60);
  isWrong = false;
  expect(await invoicesOf(external_id)).toEqual([]);
  expect(await walletOf(wallet)).toMatchObject(ACTIVE);
  expect(await broken()).toEqual([]);
  const [held] = await listHeld(platform, organizationId, 1);
  await releaseInvoice(platform, { organizationId, id: held?.id ?? "", reason: null });
  await pass(1);
  expect(await invoicesOf(external_id)).toMatchObject([PAID]);
  expect(await walletOf(wallet)).toMatchObject(ENDED);
  expect(await broken()).toEqual([]);
});

test("a draft of a deleted plan is finalized at once, whatever grace period its customer gets meanwhile", async () => {
  const { external_id } = await subscribe();
  const configure = (invoice_grace_period: number) =>
    must(call("POST", "/customers", { customer: { external_id, billing_configuration: { invoice_grace_period } } }));
  await configure(20);
  now = Temporal.Instant.from("2026-02-01T12:00:00Z");
  await drain();
  expect(await invoicesOf(external_id)).toMatchObject([{ status: "draft", issuing_date: "2026-02-21" }]);
  await setPaused(platform, organizationId, now);
  await must(call("DELETE", "/plans/plan"));
  await configure(30);
  await pass(60);
  expect(await invoicesOf(external_id)).toMatchObject([{ status: "draft" }]);
  await setPaused(platform, organizationId, null);
  await pass(11);
  expect(await invoicesOf(external_id)).toMatchObject([
    { status: "finalized", issuing_date: "2026-02-01" },
    { status: "finalized", issuing_date: "2026-02-01" },
  ]);
});
