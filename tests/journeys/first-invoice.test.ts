/** From nothing to an invoice, as a new owner would. */
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole, setUp } from "./open-console.ts";

const MODES = modesOr("light", "dark phone");
const console = await openConsole(MODES.length);

describe("a new owner comes from the setup link to a first invoice", () => {
  test.each(MODES.map((mode, index) => ({ mode, index })))("by hand ($mode)", async ({ mode, index }) => {
    const organization = console.organizations[index]?.id ?? "";
    const opened = await console.open(mode);
    const { page, faults } = opened;
    const press = (name: string) => page.getByRole("button", { name }).click();
    await setUp(opened, await console.setupLink(organization), { name: "Ada", email: `ada${index}@example.com` });
    await expectAccessible(page);
    await press("Create the metric");
    await page.getByLabel("Base fee per month, EUR").fill("49.00");
    await page.getByLabel("Price of a unit of Tokens, EUR").fill("0.002");
    await expectAccessible(page);
    await press("Create the plan");
    await page.getByLabel("Name of the customer").fill("Grace & Sons");
    await press("Create, and subscribe to Pro");
    await press("Send 500 events over a month");
    await press("Move the clock to the end of the month");
    await page.getByText("5 of 5 steps").waitFor();
    await page.getByRole("link", { name: "Open the newest invoice" }).click();
    await page.getByRole("heading", { level: 1, name: "Grace & Sons" }).waitFor();
    await page.getByText("Recomputed: identical").waitFor();
    // 500 events of 40 + (37 × index mod 160) tokens: 59,690 at 0.002, and the base fee.
    const tokens = Array.from({ length: 500 }, (_, at) => 40 + ((at * 37) % 160)).reduce((sum, one) => sum + one, 0);
    const total = (4900 + tokens * 0.2) / 100;
    await page
      .getByText(`€${total.toFixed(2)}`)
      .first()
      .waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });
});
