/** Whoever sends events sees them arrive, why one is not billed, and what to do. */
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const console = await openConsole(2);
const MODES = modesOr("light", "dark phone");
const PATIENT = { timeout: 60_000 };

/** A customer on a plan without charges. */
async function subscribe(number: number) {
  const { id: organization = "", key = "" } = console.organizations[number] ?? {};
  const { call } = console.service;
  const name = `c${crypto.randomUUID().slice(0, 8)}`;
  const send = async (method: "POST" | "PUT", path: string, body: object) =>
    (await call(method, path, body, { key })).body;
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  await send("POST", "/plans", { plan: { ...terms, code: name, name: "Pro", charges: [] } });
  await send("POST", "/subscriptions", {
    subscription: { external_customer_id: name, external_id: name, plan_code: name },
  });
  return {
    organization,
    name,
    use: (code: string, tokens: number) =>
      send("POST", "/events", {
        event: {
          ...{ transaction_id: crypto.randomUUID(), external_subscription_id: name, code },
          properties: { tokens },
        },
      }),
    charge: (code: string) =>
      send("PUT", `/plans/${name}`, {
        plan: {
          charges: [{ billable_metric_code: code, charge_model: "standard", properties: { amount: "1" } }],
        },
      }),
    metric: (code: string) =>
      send("POST", "/billable_metrics", { billable_metric: { code, name: code, aggregation_type: "count_agg" } }),
  };
}

describe.each(MODES)("in %s", (mode) => {
  test("an event that is not billed says why, and is open when its cause is gone", async () => {
    const { organization, name, use, charge, metric } = await subscribe(0);
    await metric(`tokens_${name}`);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/events?subscription=${name}`);
    await page.getByText("No event fits").waitFor();
    await expectAccessible(page);
    // It is shown without a reload.
    const code = `token_${name}`;
    await use(code, 250);
    const row = page.getByRole("row", { name: code });
    await row.getByText("Unknown code").waitFor();
    await row.getByRole("link", { name: code }).click();
    const detail = page.getByRole("region", { name: "The chosen event" });
    await detail.getByText(`did you mean tokens_${name}?`).waitFor();
    await expectAccessible(page);
    await detail.getByRole("button", { name: `Create the metric ${code}` }).click();
    await page.getByLabel("Property").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create it" }).click();
    await row.getByText("No charge").waitFor();
    await charge(code);
    await row.getByText("Open").waitFor();
    await row.getByText("No charge").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("an event is sent by hand, and is open", async () => {
    const { organization, name, charge, metric } = await subscribe(0);
    await metric(name);
    await charge(name);
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/events?subscription=${name}`);
    await page.getByRole("button", { name: "Send an event" }).click();
    await page.getByLabel("Code").fill(name);
    await page.getByLabel("Id of the subscription").fill(name);
    await page.getByLabel("Properties").fill('{"tokens":');
    await page.getByText("Write a JSON object").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Properties").fill('{"tokens": 12}');
    await page.getByRole("button", { name: "Send it" }).click();
    await page.getByRole("row", { name }).getByText("Open").waitFor();
    expect(faults).toEqual([]);
  });
});

test("a paused list shows nothing new until it goes on", async () => {
  const { organization, name, use } = await subscribe(1);
  await use("first", 1);
  const { page, faults } = await console.openAs("light", organization);
  await page.goto(`/o/${organization}/events?subscription=${name}`);
  await page.getByRole("row", { name: "first" }).waitFor();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Go on" }).waitFor();
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/events")) requests++;
  });
  await use("second", 1);
  await page.getByRole("link", { name: "Open", exact: true }).hover();
  expect(await page.getByRole("row", { name: "second" }).count()).toBe(0);
  await page.getByRole("button", { name: "Go on" }).click();
  await expect.poll(() => requests, PATIENT).toBeGreaterThan(0);
  await page.getByRole("row", { name: "second" }).waitFor();
  expect(faults).toEqual([]);
});
