/** A person with several organizations always sees which one a page is of, and whether it is a sandbox. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const console = await openConsole(1);
const { id: first = "" } = console.organizations[0] ?? {};

const sandboxBar = (page: Page) => page.getByText("nothing here is charged or mailed");

/** The pages that the menu leads to. */
const sectionsOf = (page: Page): Promise<string[]> =>
  page.locator("nav[aria-label=Main] a").evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));

async function create(page: Page, name: string, { isSandbox }: { isSandbox: boolean }): Promise<void> {
  await page.goto("/organizations");
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Sandbox").setChecked(isSandbox);
  await expectAccessible(page);
  await page.getByRole("button", { name: isSandbox ? "Create a sandbox" : "Create a live organization" }).click();
  await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
}

async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("button", { name: /Switch the organization/ }).click();
}

describe.each(modesOr("dark", "phone"))("in %s", (mode) => {
  test("a live organization and a sandbox are created and switched; only the sandbox has its bar, on every page", async () => {
    const { page, faults } = await console.openAs(mode, first);
    const [live, sandbox] = [`Live ${mode}`, `Trial ${mode}`];
    await create(page, live, { isSandbox: false });
    const liveSections = await sectionsOf(page);
    await create(page, sandbox, { isSandbox: true });
    for (const section of await sectionsOf(page)) {
      await page.goto(section);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await sandboxBar(page).waitFor();
    }
    await openMenu(page);
    await page.getByRole("menuitem", { name: live }).waitFor();
    await expectAccessible(page);
    await page.getByRole("menuitem", { name: live }).click();
    await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
    await sandboxBar(page).waitFor({ state: "detached" });
    for (const section of liveSections) {
      await page.goto(section);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText(live, { exact: true }).waitFor({ state: "attached" });
      expect(await sandboxBar(page).count()).toBe(0);
    }
    expect(liveSections.length).toBeGreaterThan(3);
    await page.goto("/organizations");
    await page.getByRole("link", { name: sandbox }).click();
    await sandboxBar(page).waitFor();
    expect(faults).toEqual([]);
  });
});
