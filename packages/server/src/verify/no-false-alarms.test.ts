/** On the real clock, verify reports no false alarm: after a request, before workers run, while they run, and at the end. */
import { beforeEach, describe, expect, test } from "vitest";
import { setPaused } from "../modules/invoicing/index.ts";
import { newId } from "../platform/new-id.ts";
import { type Answer, startTallystick } from "../testing/start-tallystick.ts";
import { verify } from "./index.ts";

let now = Temporal.Instant.from("2026-01-10T12:00:00Z");
const { call, drain, platform, organizations } = await startTallystick({ clock: { now: () => now } });
const organizationId = organizations[0]?.id ?? "";
const url = platform.config.DATABASE_URL;

const must = async (
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
): Promise<Answer["body"]> => {
  const answer = await call(method, path, body);
  expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
  return answer.body;
};

async function expectKept(when: string): Promise<void> {
  const broken = (await verify(url, { now, organizationId })).filter((finding) => finding.broken > 0);
  expect(
    broken.map(({ name, rows }) => [name, rows[0]]),
    when,
  ).toEqual([]);
}

/** Checks at once, before and after workers run; during the settle delay and after it; and on the next day. */
async function expectKeptUntilDone(): Promise<void> {
  await expectKept("at once");
  await drain();
  await expectKept("after immediate work ran");
  for (const minutes of [9, 2]) {
    now = now.add({ minutes });
    await expectKept(`${minutes} minutes later, before workers run`);
    await drain();
    await expectKept(`${minutes} minutes later`);
  }
  now = now.add({ hours: 24 });
  await drain();
  await expectKept("on the next day");
}

const sendUsage = (customer: string, kind: string, n: string) =>
  must("POST", "/events", {
    event: {
      transaction_id: newId(),
      external_subscription_id: `${kind} ${customer}`,
      code: `calls ${customer}`,
      timestamp: Math.floor(now.epochMilliseconds / 1000),
      properties: { n },
    },
  });

type Life = { customer: string; plan: string; wallet: string; purchase: string; drafts: string[]; open: string };

/**
 * The customer has a draft in its grace period, a wallet with an unpaid purchase, a coupon, and fees in advance, both invoiced and
 * standalone.
 */
async function live(more: object = {}): Promise<Life> {
  const customer = newId();
  const { svc_id: metric } = (
    await must("POST", "/billable_metrics", {
      billable_metric: { name: "Calls", code: `calls ${customer}`, aggregation_type: "sum_agg", field_name: "n" },
    })
  ).billable_metric;
  const charge = { billable_metric_id: metric, charge_model: "standard", properties: { amount: "1" } };
  const plan = { interval: "monthly", amount_currency: "EUR", amount_cents: 3100 };
  const charges = [
    { ...charge, pay_in_advance: true },
    { ...charge, pay_in_advance: true, invoiceable: false, regroup_paid_fees: "invoice" },
    charge,
  ];
  for (const [code, pay_in_advance] of [
    [`arrears ${customer}`, false],
    [`advance ${customer}`, true],
  ] as const)
    await must("POST", "/plans", { plan: { ...plan, name: "Plan", code, pay_in_advance, charges } });
  const billing_configuration = { invoice_grace_period: 20 };
  await must("POST", "/customers", {
    customer: { external_id: customer, currency: "EUR", billing_configuration, ...more },
  });
  for (const kind of ["arrears", "advance"])
    await must("POST", "/subscriptions", {
      subscription: {
        external_customer_id: customer,
        external_id: `${kind} ${customer}`,
        plan_code: `${kind} ${customer}`,
      },
    });
  const { svc_id: wallet } = (
    await must("POST", "/wallets", {
      wallet: { external_customer_id: customer, rate_amount: "1", paid_credits: "20", granted_credits: "5" },
    })
  ).wallet;
  await must("POST", "/coupons", {
    coupon: {
      name: "Coupon",
      code: `coupon ${customer}`,
      coupon_type: "fixed_amount",
      amount_cents: 500,
      amount_currency: "EUR",
      frequency: "once",
      reusable: true,
      expiration: "no_expiration",
    },
  });
  await must("POST", "/applied_coupons", {
    applied_coupon: { external_customer_id: customer, coupon_code: `coupon ${customer}` },
  });
  now = now.add({ minutes: 11 });
  await drain();
  for (const kind of ["arrears", "advance"]) await sendUsage(customer, kind, "3");
  await drain();
  const { invoices } = await must("GET", `/invoices?external_customer_id=${customer}&per_page=100`);
  const of = (type: string, status: string): string[] =>
    invoices
      .filter((invoice: Record<string, string>) => invoice.invoice_type === type && invoice.status === status)
      .map((invoice: Record<string, string>) => invoice.svc_id);
  const { fees } = await must("GET", `/fees?external_customer_id=${customer}&per_page=100`);
  const alone = fees.filter((fee: Record<string, unknown>) => fee.svc_invoice_id === null);
  expect(alone.length).toBeGreaterThan(0);
  await must("PUT", `/fees/${alone[0].svc_id}`, { fee: { payment_status: "succeeded" } });
  const [purchase = ""] = of("credit", "finalized");
  const [open = ""] = of("subscription", "finalized");
  expect([purchase, of("subscription", "draft").length]).toEqual([expect.stringMatching(/./), 1]);
  return { customer, plan: `arrears ${customer}`, wallet, purchase, drafts: of("subscription", "draft"), open };
}

beforeEach(async () => {
  // The next day is in the middle of a month.
  now = now.add({ hours: 24 });
  await drain();
});

describe("nothing is broken when", () => {
  test("a customer is deleted", async () => {
    const { customer } = await live();
    await must("DELETE", `/customers/${customer}`);
    await expectKeptUntilDone();
  });

  test("a customer is deleted whose purchase is paid, bounces and is paid again", async () => {
    const { customer, purchase } = await live();
    for (const payment_status of ["succeeded", "failed", "succeeded", "failed"]) {
      await must("PUT", `/invoices/${purchase}`, { invoice: { payment_status } });
      await expectKept(payment_status);
    }
    await must("DELETE", `/customers/${customer}`);
    await expectKeptUntilDone();
    const paid = await call("PUT", `/invoices/${purchase}`, { invoice: { payment_status: "succeeded" } });
    expect([200, 405]).toContain(paid.status);
    await expectKeptUntilDone();
  });

  test("a customer is deleted while billing is paused", async () => {
    const { customer } = await live();
    await setPaused(platform, organizationId, now);
    await must("DELETE", `/customers/${customer}`);
    await expectKeptUntilDone();
    await setPaused(platform, organizationId, null);
    await drain();
    await expectKeptUntilDone();
  });

  test("a plan is deleted", async () => {
    const { plan } = await live();
    await must("DELETE", `/plans/${encodeURIComponent(plan)}`);
    await expectKeptUntilDone();
  });

  test("a test clock is deleted", async () => {
    const { svc_id } = (
      await must("POST", "/test_clocks", { test_clock: { name: "c", now: String(now).replace(/\..*Z/, "Z") } })
    ).test_clock;
    await live({ test_clock_id: svc_id });
    await must("DELETE", `/test_clocks/${svc_id}`);
    await expectKeptUntilDone();
  });

  test("a wallet is terminated that has an unpaid and a paid purchase", async () => {
    const [unpaid, paid] = [await live(), await live()];
    await must("PUT", `/invoices/${paid.purchase}`, { invoice: { payment_status: "succeeded" } });
    for (const { wallet } of [unpaid, paid]) await must("DELETE", `/wallets/${wallet}`);
    await expectKeptUntilDone();
    await must("PUT", `/invoices/${paid.purchase}`, { invoice: { payment_status: "failed" } });
    await expectKeptUntilDone();
  });

  test("invoices are voided and written off", async () => {
    const { purchase, open } = await live();
    const other = await live();
    await must("POST", `/invoices/${purchase}/void`);
    if (open !== "") await call("POST", `/invoices/${open}/void`);
    await must("POST", `/invoices/${other.purchase}/write_off`, { amount_cents: 700, reason: "lost" });
    await expectKept("before it is paid");
    await must("PUT", `/invoices/${other.purchase}`, { invoice: { payment_status: "succeeded" } });
    await expectKept("paid in part");
    await must("DELETE", `/wallets/${other.wallet}`);
    await expectKeptUntilDone();
  });

  test.each(["arrears", "advance"])(
    "usage of the %s plan cannot be billed, and its customer is deleted",
    async (kind) => {
      const { customer } = await live();
      await sendUsage(customer, kind, "999999999999999999");
      await drain();
      await expectKept("an event is parked");
      await must("DELETE", `/customers/${customer}`);
      await expectKeptUntilDone();
      const { parked_items } = await must("GET", "/parked_items");
      expect(parked_items.length).toBeGreaterThan(0);
      for (const { svc_id } of parked_items) {
        await call("POST", `/parked_items/${svc_id}/retry`, { reason: "again" });
        await expectKept("retried");
        // 405: the retry or skip of another item resolved this one.
        const skipped = await call("POST", `/parked_items/${svc_id}/skip`, { reason: "by mistake" });
        expect([200, 405]).toContain(skipped.status);
        await expectKept("skipped");
      }
      await expectKeptUntilDone();
    },
  );
});
