/** What developers do in the console: hand out keys, look after webhooks, and move the clock. */
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const console = await openConsole(2);
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
});
