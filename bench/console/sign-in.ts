/** A person who is signed in, in every context that gets this state. */
import type { Browser, BrowserContextOptions } from "playwright-core";

type State = NonNullable<BrowserContextOptions["storageState"]>;

export async function signInByLink(browser: Browser, setupLink: string): Promise<State> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(setupLink);
    await page.getByLabel("Your name").fill("Maya Okafor");
    await page.getByLabel("Email").fill("maya@lodestar.example");
    await page.getByLabel("Password", { exact: true }).fill("four unlikely words here");
    await page.getByRole("button", { name: "Create my account" }).click();
    await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
    return await context.storageState();
  } finally {
    await context.close();
  }
}
