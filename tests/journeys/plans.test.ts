/** A plan is built and priced at the same time, and nobody overwrites what they have not seen. */
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole, PATIENCE_MS } from "./open-console.ts";

const console = await openConsole(2);
const PATIENT = { timeout: PATIENCE_MS };

const { call } = console.service;
const { id: organization = "", key = "" } = console.organizations[0] ?? {};
const main = (path = ""): string => `/o/${organization}${path}`;

async function post(path: string, body: object) {
  const answer = await call("POST", path, body, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const newCode = (): string => `p${crypto.randomUUID().slice(0, 8)}`;

async function makeMetric(code: string) {
  const filters = [{ key: "model", values: ["small", "large"] }];
  const metric = { code, name: `Tokens ${code}`, aggregation_type: "sum_agg", field_name: "tokens", filters };
  return (await post("/billable_metrics", { billable_metric: metric })).billable_metric;
}

/** A customer who uses this much of the plan in January, and what its invoice says. */
async function billJanuary(code: string, usage: readonly { tokens: number; model: string }[]) {
  const { test_clock } = await post("/test_clocks", { test_clock: { now: "2026-01-01T00:00:00Z" } });
  const on = { currency: "EUR", test_clock_id: test_clock.svc_id };
  await post("/customers", { customer: { external_id: code, name: `Pelagic ${code}`, ...on } });
  await post("/subscriptions", {
    subscription: { external_customer_id: code, external_id: code, plan_code: code },
  });
  await post("/events/batch", {
    events: usage.map((properties, index) => ({
      transaction_id: `${code}-${index}`,
      external_subscription_id: code,
      code,
      timestamp: "2026-01-10T12:00:00Z",
      properties,
    })),
  });
  await post(`/test_clocks/${test_clock.svc_id}/advance`, { test_clock: { now: "2026-02-02T00:00:00Z" } });
  const { body } = await call("GET", `/invoices?external_customer_id=${code}`, undefined, { key });
  return body.invoices[0]?.total_amount_cents as number;
}

describe.each(modesOr("light", "dark phone"))("in %s", (mode) => {
  test("a plan is built from nothing, and its simulated total is on the invoice", async () => {
    const code = newCode();
    await makeMetric(code);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(main("/plans"));
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await page.getByRole("button", { name: "New plan" }).click();
    await page.getByRole("heading", { level: 1, name: "New plan" }).waitFor();
    // What is missing is said at its field, and only once it was asked for.
    await page.getByRole("button", { name: "Review and create" }).click();
    await page.getByText("Fill this in").first().waitFor();
    await page.getByLabel("Name", { exact: true }).fill(`Plan ${code}`);
    await page.getByLabel("Code", { exact: true }).fill(code);
    await page.getByLabel("Base fee, EUR").fill("49.00");
    await page.getByRole("button", { name: "Add a charge" }).click();
    await page.getByLabel("Metric").selectOption({ label: `Tokens ${code}` });
    const charge = page.getByRole("region", { name: `Tokens ${code}`, exact: true });
    await charge.getByLabel("Model").selectOption("graduated");
    await charge.getByLabel("End of tier 1").fill("1000");
    await charge.getByLabel("Price of tier 1").fill("0");
    await charge.getByLabel("Price of tier 2").fill("x");
    await charge.getByText("Digits and a point, like 0.05").waitFor();
    await charge.getByLabel("Price of tier 2").fill("0.0125");
    await charge.getByRole("button", { name: "Another price for some model" }).click();
    await charge.getByRole("checkbox", { name: "large" }).uncheck();
    await charge.getByRole("checkbox", { name: "small" }).check();
    const filter = charge.getByRole("group", { name: "model: small" });
    await filter.getByLabel("End of tier 1").fill("500");
    await filter.getByLabel("Price of tier 1").fill("0.01");
    await filter.getByLabel("Price of tier 2").fill("0.005");

    const simulation = page.getByRole("region", { name: "Simulation" });
    await simulation.getByLabel(`Number of Tokens ${code}`, { exact: true }).fill("3001");
    await simulation.getByLabel(`Number of Tokens ${code} · model: small`).fill("700");
    // 49.00, 2,001 at 0.0125 are 25.0125, and 500 at 0.01 with 200 at 0.005 are 6.00.
    await expect.poll(() => simulation.getByLabel("Simulated total").textContent(), PATIENT).toBe("€80.01");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Review and create" }).click();
    const review = page.getByRole("dialog", { name: "Create this plan?" });
    await review.getByText("to 1,000: €0.00 each").waitFor();
    await expectAccessible(page);
    await review.getByRole("button", { name: "Create the plan" }).click();
    await page.getByRole("heading", { level: 1, name: `Plan ${code}` }).waitFor();
    await page.getByRole("region", { name: "Simulation" }).waitFor();
    await expectAccessible(page);

    const used = [
      { tokens: 3001, model: "large" },
      { tokens: 700, model: "small" },
    ];
    expect(await billJanuary(code, used)).toBe(80_01);
    await page.reload();
    await page.getByLabel("Usage of").selectOption({ label: `${code}, ${code}` });
    await expect.poll(() => page.getByLabel("Simulated total").textContent(), PATIENT).toBe("€80.01");
    expect(faults).toEqual([]);
  });

  test("of two people on one plan the second is notified of what changed, and loses nothing", async () => {
    const code = newCode();
    const { svc_id } = await makeMetric(code);
    await post("/plans", {
      plan: {
        ...{ code, name: `Plan ${code}`, interval: "monthly", amount_cents: 4900, amount_currency: "EUR" },
        pay_in_advance: false,
        charges: [{ billable_metric_id: svc_id, charge_model: "standard", properties: { amount: "0.01" } }],
      },
    });
    await billJanuary(code, [{ tokens: 100, model: "large" }]);
    const [first, second] = [await console.openAs(mode, organization), await console.openAs(mode, organization)];
    for (const { page } of [first, second]) {
      await page.goto(main(`/plans/${code}/edit`));
      await page.getByLabel("Base fee, EUR").waitFor();
    }
    await first.page.getByLabel("Base fee, EUR").fill("59.00");
    await first.page.getByRole("button", { name: "Review and publish" }).click();
    const review = first.page.getByRole("dialog", { name: "Publish these changes?" });
    await review.getByText("1 active subscription of 1 customer").waitFor();
    await expectAccessible(first.page);
    await review.getByRole("button", { name: "Publish" }).click();
    await first.page.getByText("€59.00 monthly").first().waitFor();

    const { page, expectAnswer } = second;
    expectAnswer(`412 PUT /api/v1/plans/${code}`);
    await page.getByLabel("Price of a unit, EUR").fill("0.02");
    await page.getByRole("button", { name: "Review and publish" }).click();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const notice = page.getByRole("dialog", { name: "The plan was changed while you edited it" });
    await notice.getByRole("cell", { name: "€59.00 monthly" }).waitFor();
    await expectAccessible(page);
    await notice.getByRole("button", { name: "Put my changes on top" }).click();
    await expect.poll(() => page.getByLabel("Base fee, EUR").inputValue(), PATIENT).toBe("59.00");
    expect(await page.getByLabel("Price of a unit, EUR").inputValue()).toBe("0.02");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Prices" }).waitFor();
    const { body } = await call("GET", `/plans/${code}`, undefined, { key });
    expect(body.plan).toMatchObject({ amount_cents: 5900, charges: [{ properties: { amount: "0.02" } }] });
    expect([...first.faults, ...second.faults]).toEqual([]);
  });
});

test("an organization without plans begins with a template, and what the service refuses is said at its field", async () => {
  const { id = "", key: otherKey = "" } = console.organizations[1] ?? {};
  const { page, faults, expectAnswer } = await console.openAs("light", id);
  const metric = { code: "api_calls", name: "API calls", aggregation_type: "count_agg" };
  await call("POST", "/billable_metrics", { billable_metric: metric }, { key: otherKey });
  await page.goto(`/o/${id}/plans`);
  await page.getByRole("heading", { name: "There is no plan yet" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "API calls, pay as you go" }).click();
  await page.getByLabel("Code", { exact: true }).waitFor();
  const plan = { code: "pay_as_you_go", name: "Taken", interval: "monthly", amount_cents: 0, amount_currency: "EUR" };
  await call("POST", "/plans", { plan: { ...plan, pay_in_advance: false } }, { key: otherKey });
  expectAnswer("422 POST /api/v1/plans");
  await page.getByRole("button", { name: "Review and create" }).click();
  await page.getByRole("button", { name: "Create the plan" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => page.getByLabel("Code", { exact: true }).getAttribute("aria-invalid"), PATIENT).toBe("true");
  await page.getByLabel("Code", { exact: true }).fill("calls");
  await page.getByRole("button", { name: "Review and create" }).click();
  await page.getByRole("button", { name: "Create the plan" }).click();
  await page.getByRole("region", { name: "API calls", exact: true }).waitFor();
  expect(faults).toEqual([]);
});
