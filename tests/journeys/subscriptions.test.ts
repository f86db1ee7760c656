/** Every change of a subscription is seen before it is made, and comes true. */
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const console = await openConsole(2);
const MODES = modesOr("light", "dark phone");

/** A customer on its own clock on 11 January, and two plans that are paid in advance. */
async function subscribe(organization: number) {
  const { id = "", key = "" } = console.organizations[organization] ?? {};
  const { call } = console.service;
  const post = async (path: string, body: object) => (await call("POST", path, body, { key })).body;
  const customer = `c${crypto.randomUUID().slice(0, 8)}`;
  const plan = { interval: "monthly", amount_currency: "EUR", pay_in_advance: true };
  const metric = { code: customer, name: "Tokens", aggregation_type: "sum_agg", field_name: "tokens" };
  await post("/billable_metrics", { billable_metric: metric });
  const charge = { billable_metric_code: customer, charge_model: "standard", properties: { amount: "0.01" } };
  const pro = { ...plan, code: `${customer}-pro`, name: "Pro", amount_cents: 3100, charges: [charge] };
  await post("/plans", { plan: pro });
  await post("/plans", { plan: { ...plan, code: `${customer}-scale`, name: "Scale", amount_cents: 31000 } });
  const { test_clock } = await post("/test_clocks", { test_clock: { now: "2026-01-01T00:00:00Z" } });
  const on = { test_clock_id: test_clock.svc_id };
  await post("/customers", { customer: { external_id: customer, name: "Pelagic", currency: "EUR", ...on } });
  const subscription = { external_customer_id: customer, external_id: customer, plan_code: `${customer}-pro` };
  await post("/subscriptions", { subscription });
  const advance = (now: string) => post(`/test_clocks/${test_clock.svc_id}/advance`, { test_clock: { now } });
  await advance("2026-01-11T00:00:00Z");
  const invoices = async () => {
    const { body } = await call("GET", `/invoices?external_customer_id=${customer}&sort=created_at`, undefined, {
      key,
    });
    return body.invoices as { total_amount_cents: number }[];
  };
  const creditNotes = async () => {
    const { body } = await call("GET", `/credit_notes?external_customer_id=${customer}`, undefined, { key });
    return body.credit_notes as { total_amount_cents: number }[];
  };
  const use = (tokens: number) => {
    const of = { transaction_id: crypto.randomUUID(), external_subscription_id: customer, code: customer };
    return post("/events", { event: { ...of, timestamp: "2026-01-12T00:00:00Z", properties: { tokens } } });
  };
  return { organization: id, customer, invoices, creditNotes, use, advance };
}

describe.each(MODES)("in %s", (mode) => {
  test("a plan is changed after its preview, and the predicted invoices come", async () => {
    const { organization, customer, invoices, advance } = await subscribe(0);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/subscriptions/${customer}`);
    await page.getByRole("heading", { level: 1, name: customer }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Change plan" }).click();
    await page.getByLabel("Plan", { exact: true }).selectOption(`${customer}-scale`);
    const preview = page.getByRole("region", { name: "What the change bills" });
    // 21 of 31 days of Scale at 310.00, less the 21.00 that come back of Pro.
    await preview.getByText("€189.00").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: `Change to ${customer}-scale` }).click();
    await preview.waitFor({ state: "detached" });
    await page.getByText("Scale, €310.00 monthly").waitFor();
    expect((await invoices()).map((invoice) => invoice.total_amount_cents)).toEqual([3100, 18_900]);
    await advance("2026-02-01T00:00:00Z");
    expect((await invoices()).map((invoice) => invoice.total_amount_cents)).toEqual([3100, 18_900, 31_000]);
    expect(faults).toEqual([]);
  });

  test("a subscription ends after its preview, and gives back what it said", async () => {
    const { organization, customer } = await subscribe(0);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/subscriptions/${customer}`);
    await page.getByRole("button", { name: "End", exact: true }).click();
    const preview = page.getByRole("region", { name: "What the change bills" });
    await preview.getByText("Credit note").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Days that were paid in advance").selectOption("skip");
    await preview.getByText("Credit note").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "End it now" }).click();
    await page.getByText("Ended").first().waitFor();
    expect(faults).toEqual([]);
  });

  test("an end is set for a day, seen before, and comes after that day", async () => {
    const { organization, customer, creditNotes, advance } = await subscribe(0);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/subscriptions/${customer}`);
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByLabel("When").selectOption("After a day");
    await page.getByLabel("Last day").fill("2026-01-20");
    const preview = page.getByRole("region", { name: "What the change bills" });
    await preview.getByText("Nothing is billed or given back now.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "End it then" }).click();
    // In days of the reader.
    await page.getByText(/^ends 2[01] Jan 2026$/).waitFor();
    await advance("2026-01-22T00:00:00Z");
    // 11 of 31 days of 31.00, from the 21st on.
    expect((await creditNotes()).map((note) => note.total_amount_cents)).toEqual([1100]);
    expect(faults).toEqual([]);
  });

  test("a subscription gets prices of its own after a preview, and they come true", async () => {
    const { organization, customer, invoices, use, advance } = await subscribe(0);
    await use(1000);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/subscriptions/${customer}`);
    await page.getByRole("button", { name: "Prices" }).click();
    await page.getByLabel("Pro, monthly").fill("25");
    await page.getByLabel("Price per unit").fill("0.005");
    const preview = page.getByRole("region", { name: "What the change bills" });
    // 1,000 tokens at 0.01 and a month at 31.00; then at 0.005 and at 25.00.
    await preview.getByText("€41.00").waitFor();
    await preview.getByText("€30.00").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save these prices" }).click();
    await page.getByText("Pro, €25.00 monthly").waitFor();
    await page.getByRole("button", { name: "Prices" }).click();
    expect(await page.getByLabel("Price per unit").inputValue()).toBe("0.005");
    await advance("2026-02-01T00:00:00Z");
    expect((await invoices()).map((invoice) => invoice.total_amount_cents)).toEqual([3100, 3000]);
    expect(faults).toEqual([]);
  });

  test("a new customer is subscribed after a preview", async () => {
    const { organization, customer } = await subscribe(0);
    const { page, faults } = await console.openAs(mode, organization);
    const name = `New ${customer}`;
    await page.goto(`/o/${organization}/customers`);
    await page.getByRole("button", { name: "New customer" }).click();
    await page.getByLabel("Id", { exact: true }).fill(`new-${customer}`);
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Currency").fill("EUR");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create the customer" }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Subscribe to a plan" }).click();
    await page.getByLabel("Plan", { exact: true }).selectOption(`${customer}-pro`);
    await page.getByRole("region", { name: "What the change bills" }).getByText("Takes effect on").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: `Subscribe to ${customer}-pro` }).click();
    await page.getByRole("heading", { level: 1, name: `new-${customer}-1` }).waitFor();
    expect(faults).toEqual([]);
  });
});

test("the palette finds a record by a part of its name, and goes there by keys alone", async () => {
  const { organization, customer } = await subscribe(0);
  const { page, faults } = await console.openAs("light", organization);
  await page.goto(`/o/${organization}`);
  await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
  const palette = page.getByRole("dialog", { name: "Find or do" });
  await page.getByRole("button", { name: "Find or do" }).click();
  await palette.getByRole("textbox").fill(customer.slice(1));
  await palette.getByRole("button", { name: customer }).first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Pelagic" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.getByRole("heading", { level: 1, name: "Invoices" }).waitFor();
  expect(faults).toEqual([]);
});
