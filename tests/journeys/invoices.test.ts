/** What finance and support do with invoices: ask why, give back, release, and be refused. */
import { describe, expect, test } from "vitest";
import { VIEWS } from "../../packages/console/src/slices/invoices/search.ts";
import { findUserByEmail, revokeSessions } from "../../packages/server/src/modules/accounts/index.ts";
import { CONTRADICTED_CENTS } from "../../packages/server/src/testing/contradicted-invoices.ts";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole, setUp, signIn } from "./open-console.ts";

const console = await openConsole(2);
const MODES = modesOr("dark", "phone");

const PATIENT = { timeout: 60_000 };

type Billed = { organization: string; key: string; invoiceId: string; customer: string };

/** A customer of an organization who used 2,500 tokens at 0.01 in January, and has the invoice of it. */
async function bill(number: number, { amountCents = 4900 } = {}): Promise<Billed> {
  const { id: organization = "", key = "" } = console.organizations[number] ?? {};
  const { call } = console.service;
  const post = async (path: string, body: object) => (await call("POST", path, body, { key })).body;
  const customer = `c${crypto.randomUUID().slice(0, 8)}`;
  const { test_clock } = await post("/test_clocks", { test_clock: { now: "2026-01-01T00:00:00Z" } });
  await post("/billable_metrics", {
    billable_metric: { code: customer, name: "Tokens", aggregation_type: "sum_agg", field_name: "tokens" },
  });
  const charge = { billable_metric_code: customer, charge_model: "standard", properties: { amount: "0.01" } };
  const plan = { code: customer, name: "Pro", interval: "monthly", amount_cents: amountCents, amount_currency: "EUR" };
  await post("/plans", { plan: { ...plan, pay_in_advance: false, charges: [charge] } });
  await post("/customers", {
    customer: { external_id: customer, name: "Pelagic", currency: "EUR", test_clock_id: test_clock.svc_id },
  });
  const subscription = { external_customer_id: customer, external_id: customer, plan_code: customer };
  await post("/subscriptions", { subscription });
  await post("/events/batch", {
    events: [1000, 1500].map((tokens, index) => ({
      transaction_id: `${customer}-${index}`,
      external_subscription_id: customer,
      code: customer,
      timestamp: `2026-01-1${index}T12:00:00Z`,
      properties: { tokens },
    })),
  });
  await post(`/test_clocks/${test_clock.svc_id}/advance`, { test_clock: { now: "2026-02-02T00:00:00Z" } });
  const { body } = await call("GET", `/invoices?external_customer_id=${customer}`, undefined, { key });
  return { organization, key, customer, invoiceId: body.invoices[0]?.svc_id ?? "" };
}

const chargeOf = (plan: string, amount: string) => ({
  ...{ billable_metric_code: plan, charge_model: "standard", pay_in_advance: true },
  properties: { amount },
});

/** An event in advance at a price that no amount can hold. */
async function park(number: number): Promise<{ organization: string; key: string; plan: string }> {
  const { id: organization = "", key = "" } = console.organizations[number] ?? {};
  const { call } = console.service;
  const post = async (path: string, body: object) => (await call("POST", path, body, { key })).body;
  const plan = `p${crypto.randomUUID().slice(0, 8)}`;
  const { test_clock } = await post("/test_clocks", { test_clock: { now: "2026-01-01T00:00:00Z" } });
  await post("/billable_metrics", { billable_metric: { code: plan, name: "Calls", aggregation_type: "count_agg" } });
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await post("/plans", { plan: { ...terms, code: plan, name: "Pro", charges: [chargeOf(plan, "90071992547409.92")] } });
  await post("/customers", { customer: { external_id: plan, currency: "EUR", test_clock_id: test_clock.svc_id } });
  await post("/subscriptions", {
    subscription: { external_customer_id: plan, external_id: plan, plan_code: plan },
  });
  await post("/events", { event: { transaction_id: plan, external_subscription_id: plan, code: plan } });
  await post(`/test_clocks/${test_clock.svc_id}/advance`, { test_clock: { now: "2026-01-02T00:00:00Z" } });
  return { organization, key, plan };
}

async function setPrice(plan: string, amount: string, key: string): Promise<void> {
  const { call } = console.service;
  const { body } = await call("GET", `/plans/${plan}`, undefined, { key });
  const [charge] = body.plan.charges;
  const charges = [{ ...chargeOf(plan, amount), id: charge.svc_id }];
  await call("PUT", `/plans/${plan}`, { plan: { charges } }, { key });
}

const main = (organization: string, path = ""): string => `/o/${organization}${path}`;

test("a view lists as many invoices as its tab counts, also after a failed payment and a lost dispute", async () => {
  const [failed, disputed] = [await bill(0), await bill(0), await bill(0)];
  const { organization, key } = failed;
  const { call } = console.service;
  await call("PUT", `/invoices/${failed.invoiceId}`, { invoice: { payment_status: "failed" } }, { key });
  await call("POST", `/invoices/${disputed.invoiceId}/lose_dispute`, undefined, { key });
  const { page, faults } = await console.openAs("light", organization);
  for (const view of VIEWS) {
    await page.goto(main(organization, `/invoices?view=${view}`));
    const tab = page.getByRole("navigation", { name: "Views" }).locator("[aria-current=page]");
    await expect.poll(() => tab.textContent(), PATIENT).toMatch(/\d$/);
    const count = Number(/\d+$/.exec((await tab.textContent()) ?? "")?.[0]);
    await expect.poll(() => page.locator("tbody tr").count(), PATIENT).toBe(Math.min(count, 25));
  }
  expect(faults).toEqual([]);
});

describe.each(MODES)("in %s", (mode) => {
  test("a reader follows an amount down to the events, and the address keeps the way", async () => {
    const { organization, invoiceId } = await bill(0);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(main(organization, "/invoices"));
    const row = page.locator(`a[href$="${invoiceId}"]`);
    await row.waitFor();
    await expectAccessible(page);
    await row.click();
    await page.getByText("Recomputed: identical").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "As the customer sees it" }).click();
    const drawn = page.getByRole("img", { name: /, page 1 of 1$/ });
    await drawn.waitFor();
    // A picture that the browser could not read has no size of its own.
    await expect
      .poll(() => drawn.evaluate((image) => "naturalWidth" in image && image.naturalWidth), PATIENT)
      .toBeGreaterThan(0);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Lines", exact: true }).click();
    await page.getByRole("button", { name: "Tokens" }).click();
    await page.getByText("Sum of “tokens”").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Show each with what it cost" }).click();
    await page.getByRole("cell", { name: "10.000000" }).waitFor();
    await page.getByRole("cell", { name: "15.000000" }).waitFor();
    expect(await page.getByText("€25.00").count()).toBeGreaterThan(1);
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  test("a line is credited, and another invoice is voided, each after its question", async () => {
    const [first, second] = [await bill(0), await bill(0)];
    const { page, faults } = await console.openAs(mode, first.organization, { role: "finance" });
    await page.goto(main(first.organization, `/invoices/${first.invoiceId}`));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Create a credit note" }).click();
    await page.getByLabel("Give back of Pro").fill("");
    await page.getByLabel("Give back of Tokens").fill("12.5");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Credit €12.50" }).click();
    await page.getByText("−€12.50").or(page.getByText("-€12.50")).waitFor();

    await page.goto(main(second.organization, `/invoices/${second.invoiceId}`));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Void" }).click();
    await page.getByText("€74.00 is no longer due").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: /^Void / }).click();
    await page.getByText("Voided").waitFor();
    const { body } = await console.service.call("GET", `/invoices/${second.invoiceId}`, undefined, { key: second.key });
    expect(body.invoice.status).toBe("voided");
    expect(faults).toEqual([]);
  });

  test("a held invoice shows both computations, and is released with a reason", async () => {
    const { organization, customer, key } = await bill(1, { amountCents: CONTRADICTED_CENTS });
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(main(organization, "/held-invoices"));
    const held = page.getByRole("region", { name: `Held invoice of ${customer}` });
    await held.getByRole("cell", { name: String(CONTRADICTED_CENTS + 2500) }).waitFor();
    await expectAccessible(page);
    await held.getByRole("button", { name: "Release as the first says" }).click();
    await page.getByLabel("Reason, stored for later review").fill("Checked by hand");
    await page.getByRole("dialog").getByRole("button", { name: "Release as the first says" }).click();
    await held.waitFor({ state: "detached" });
    const { body } = await console.service.call("GET", `/invoices?external_customer_id=${customer}`, undefined, {
      key,
    });
    expect(body.invoices.map(({ status }: { status: string }) => status)).toEqual(["finalized"]);
    expect(faults).toEqual([]);
  });

  test("an item that cannot be billed says why, is tried again, and is billed when the reason is gone", async () => {
    const { organization, plan, key } = await park(0);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(main(organization, "/parked-items"));
    const item = page.getByRole("region", { name: `Event ${plan}` });
    await item.getByText("An amount is at most").waitFor();
    await expectAccessible(page);
    const retry = async () => {
      await item.getByRole("button", { name: "Retry" }).click();
      await page.getByLabel("Reason, stored for later review").fill("The price is right now");
      await page.getByRole("button", { name: "Retry now" }).click();
    };
    await retry();
    await page.getByText("It is still parked:").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await setPrice(plan, "2.5", key);
    await retry();
    await item.waitFor({ state: "detached" });
    const { body } = await console.service.call("GET", `/fees?external_customer_id=${plan}`, undefined, { key });
    expect(body.fees.map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual([250]);
    expect(faults).toEqual([]);
  });

  test("an item that is skipped is never billed", async () => {
    const { organization, plan, key } = await park(0);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(main(organization, "/parked-items"));
    const item = page.getByRole("region", { name: `Event ${plan}` });
    await item.getByRole("button", { name: "Skip" }).click();
    await page.getByText("The event is never billed.").waitFor();
    await page.getByLabel("Reason, stored for later review").fill("A test of a customer");
    await page.getByRole("button", { name: "Skip for good" }).click();
    await item.waitFor({ state: "detached" });
    const { body } = await console.service.call("GET", `/fees?external_customer_id=${plan}`, undefined, { key });
    expect(body.fees).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("a member of support sees everything, and is refused before and after the click", async () => {
    const { organization, invoiceId } = await bill(0);
    const { page, faults, expectAnswer } = await console.openAs(mode, organization, { role: "support" });
    await page.goto(main(organization, `/invoices/${invoiceId}`));
    const pay = page.getByRole("button", { name: "Mark as paid" });
    await pay.focus();
    await page.getByRole("tooltip").getByText("Your role (support) does not include this.").waitFor();
    expect(await pay.getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(page);
    expectAnswer("403 PUT");
    const status = await page.evaluate(
      async ([id, name]) =>
        (
          await fetch(`/api/v1/invoices/${id}`, {
            method: "PUT",
            headers: { "content-type": "application/json", "tallystick-organization": name ?? "" },
            body: JSON.stringify({ invoice: { payment_status: "succeeded" } }),
          })
        ).status,
      [invoiceId, organization],
    );
    expect(status).toBe(403);
    expect(faults).toEqual([]);
  });

  test("who is signed out in the middle signs in, and is back where it was", async () => {
    const { organization } = await bill(0);
    const opened = await console.open(mode);
    const { page, faults, expectAnswer } = opened;
    const email = `${crypto.randomUUID()}@example.com`;
    await setUp(opened, await console.setupLink(organization), { name: "Ada", email });
    await endSessionsOf(email);
    expectAnswer("401 ");
    // For three seconds, the service may still know the session.
    const isAtSignIn = async () => {
      if (page.url().includes("/sign-in")) return true;
      await page.goto(main(organization, "/customers"), { waitUntil: "commit" });
      return false;
    };
    await expect.poll(isAtSignIn, { ...PATIENT, interval: 1000 }).toBe(true);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expectAccessible(page);
    await signIn(opened, email);
    await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a click in a session that has ended leads to the sign-in, and back to that page", async () => {
    const { organization, customer } = await bill(0);
    const opened = await console.open(mode);
    const { page, faults, expectAnswer } = opened;
    const email = `${crypto.randomUUID()}@example.com`;
    await setUp(opened, await console.setupLink(organization), { name: "Ada", email });
    await page.goto(main(organization, "/customers"));
    const row = page.locator(`a[href$="/customers/${customer}"]`);
    await row.waitFor();
    expectAnswer("401 ");
    await page.context().clearCookies();
    await row.click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(opened, email);
    await page.getByRole("heading", { level: 1, name: "Pelagic" }).waitFor();
    expect(faults).toEqual([]);
  });
});

async function endSessionsOf(email: string): Promise<void> {
  const { dispatcherDb, clock } = console.service.platform;
  const user = await findUserByEmail(dispatcherDb, email);
  await revokeSessions(dispatcherDb, user?.id ?? "", { now: clock.now() });
}
