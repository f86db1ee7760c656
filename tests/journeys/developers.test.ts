/** What developers do in the console: hand out keys, look after webhooks, and move the clock. */
import { describe, expect, test } from "vitest";
import { startReceiver } from "../../packages/server/src/testing/start-receiver.ts";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const { url, answers, received } = await startReceiver();
const console = await openConsole(2, {
  OUTBOUND_TRUSTED_HOSTS: "127.0.0.1",
  // A refused message waits for longer than a journey lasts.
  WEBHOOK_RETRY_DELAYS_SECONDS: "3600",
});
const MODES = modesOr("light", "phone");
const PATIENT = { timeout: 60_000 };

describe.each(MODES)("in %s", (mode) => {
  test("a key is created, works, is rotated, and is revoked", async () => {
    const { id: organization = "" } = console.organizations[0] ?? {};
    const { page, faults } = await console.openAs(mode, organization, { role: "developer" });
    const name = `Reporter ${mode}`;
    await page.goto(`/o/${organization}/api-keys`);
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("radio", { name: "Choose by resource" }).check();
    await expectAccessible(page);
    await page.getByLabel("Read Customers").check();
    // A developer reads customers, and may not hand out more.
    expect(await page.getByLabel("Change Customers").isDisabled()).toBe(true);
    await page.getByLabel("Expires").selectOption("In 90 days");
    await page.getByRole("button", { name: "Create the key" }).click();
    const secret = page.getByRole("dialog", { name: `The key “${name}”` });
    const lines = await secret.getByText("TALLYSTICK_API_KEY=").innerText();
    expect(lines).toContain(`TALLYSTICK_URL=${console.url}`);
    await expectAccessible(page);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await secret.getByRole("button", { name: "Copy" }).click();
    await secret.getByRole("button", { name: "Copied" }).waitFor();
    await secret.getByRole("button", { name: "I have stored it" }).click();
    const key = /TALLYSTICK_API_KEY=(\S+)/.exec(lines)?.[1] ?? "";
    const statusOf = async (path: string) => (await console.service.call("GET", path, undefined, { key })).status;
    expect([await statusOf("/customers"), await statusOf("/plans")]).toEqual([200, 403]);
    const row = page.getByRole("row", { name });
    await row.getByText("Reads customers").waitFor();
    await expectAccessible(page);
    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old key works").selectOption("Not at all: end it now");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create its successor" }).click();
    await secret.getByRole("button", { name: "I have stored it" }).click();
    await expect.poll(() => statusOf("/customers"), PATIENT).toBe(401);
    await row.getByRole("button", { name: "Revoke" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Revoke it for good" }).click();
    await row.getByText("Revoked").waitFor();
    expect(faults).toEqual([]);
  });

  test("an endpoint that refuses is seen, and its messages are sent again one by one and all at once", async () => {
    const { id: organization = "", key = "" } = console.organizations[1] ?? {};
    const { page, faults } = await console.openAs(mode, organization, { role: "developer" });
    const path = `/${crypto.randomUUID()}`;
    const happen = (external_id: string) =>
      console.service.call("POST", "/customers", { customer: { external_id: `${path}${external_id}` } }, { key });
    answers[path] = (answer) => answer.writeHead(500).end("out of order");
    await page.goto(`/o/${organization}/webhooks`);
    await page.getByRole("button", { name: "New endpoint" }).click();
    await page.getByLabel("Address").fill(url(path));
    await page.getByLabel("Name").fill(path);
    await page.getByLabel("Messages", { exact: true }).selectOption("Only those that I choose");
    await page.getByLabel("customer.created").check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await page.getByText("TALLYSTICK_WEBHOOK_SECRET=whsec_").waitFor();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await happen("1");
    await happen("2");
    await page.getByLabel("To", { exact: true }).selectOption(path);
    const log = page.getByRole("region", { name: "Log" });
    await log.getByRole("link", { name: "Will be retried" }).click();
    await log.getByText("2 messages").waitFor();
    await expectAccessible(page);
    await log.getByRole("link", { name: "customer.created" }).first().click();
    await page.getByText("out of order").waitFor();
    await page.getByText(`POST ${url(path)}`).waitFor();
    await page.getByText('"webhook_type": "customer.created"').waitFor();
    await expectAccessible(page);
    answers[path] = (answer) => answer.end("taken");
    await page.getByRole("button", { name: "Retry now" }).click();
    await page.getByText("taken").waitFor();
    await page.getByText("Delivered").waitFor();
    await page.goBack();
    await log.getByText("1 message", { exact: true }).waitFor();
    await log.getByRole("link", { name: "All" }).click();
    await log.getByText("2 messages").waitFor();
    await log.getByRole("button", { name: "Send these again" }).click();
    await page.getByText("2 messages fit the filters of the log").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send 2 again" }).click();
    await log.getByText("2 messages are sent again.").waitFor();
    const sent = () => received.filter((message) => message.path === path).length;
    // Each was refused once; one was retried, and then both were sent again.
    await expect.poll(sent, PATIENT).toBe(5);
    await page.getByRole("button", { name: `Change ${path}` }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete it, and send it nothing more" }).click();
    await log
      .getByText("A deleted endpoint")
      .first()
      .waitFor({ state: mode === "phone" ? "attached" : "visible" });
    expect(faults).toEqual([]);
  });

  test("a clock is moved by a year, and its invoices are there", async () => {
    const { id: organization = "", key = "" } = console.organizations[0] ?? {};
    const { page, faults, expectAnswer } = await console.openAs(mode, organization);
    const name = `Clock ${crypto.randomUUID()}`;
    await page.goto(`/o/${organization}/time-machine`);
    await page.getByRole("button", { name: "New clock" }).click();
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("It begins at").fill("2026-01-15T12:00");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create the clock" }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    const clock = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const customer = await subscribeOn(clock, key);
    await page.reload();
    await page.getByRole("link", { name: customer }).waitFor();
    await page.getByRole("button", { name: "To the end of the month" }).click();
    await page.getByText("1 Feb 2026, 00:00").first().waitFor();
    const made = page.getByRole("region", { name: "What the move brought" });
    await made.getByText("1 invoice", { exact: true }).waitFor();
    await expectAccessible(page);
    // The page says that the clock moves before the work begins, however fast that goes.
    const moving = page.getByRole("region", { name: "The clock advances" });
    await page.route("**/advance", async (route) => {
      await moving.getByText("of 1 Feb 2027, 00:00").waitFor();
      await route.continue();
    });
    await page.getByRole("button", { name: "By a year" }).click();
    await page.getByText("1 Feb 2027, 00:00").first().waitFor();
    await made.getByText("12 invoices", { exact: true }).waitFor();
    await page.unroute("**/advance");
    expectAnswer(`422 POST /api/v1/test_clocks/${clock}/advance`);
    await page.getByLabel("To an instant").fill("2226-01-01T00:00");
    await page.getByRole("button", { name: "Move there" }).click();
    await page.getByRole("checkbox", { name: "I mean this year" }).waitFor();
    expect(await page.getByLabel("To an instant").inputValue()).toBe("2226-01-01T00:00");
    await made.getByText("12 invoices", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete it and 1 customer" }).click();
    await page.getByRole("heading", { level: 1, name: "Time machine" }).waitFor();
    await page.getByText(name).waitFor({ state: "detached" });
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });
});

/** A customer with a monthly plan on a clock. */
async function subscribeOn(test_clock_id: string, key: string): Promise<string> {
  const post = (path: string, body: object) => console.service.call("POST", path, body, { key });
  const code = `p${crypto.randomUUID().slice(0, 8)}`;
  const plan = { code, name: "Pro", interval: "monthly", amount_cents: 3100, amount_currency: "EUR" };
  await post("/plans", { plan: { ...plan, pay_in_advance: false } });
  await post("/customers", { customer: { external_id: code, currency: "EUR", test_clock_id } });
  const subscription = { external_customer_id: code, external_id: code, plan_code: code };
  await post("/subscriptions", { subscription });
  return code;
}
