/** What a newcomer does in the first minute: from a clone without data to a finalized invoice on the screen. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { closeAfterTest, freePort, openDoor, privateTemporaryFolder } from "../doors/door.ts";
import { launchChromium } from "./chromium.ts";
import { MODES } from "./modes.ts";
import { PATIENCE_MS, setUp, watch } from "./open-console.ts";

/** The goal is a minute, on a machine without other work: the time is printed. In CI, tests run beside it. */
const MOST_MS = 10 * 60_000;

const temporary = privateTemporaryFolder();

test("npm run dev, its link, sample data, an invoice", { timeout: 3 * MOST_MS }, async () => {
  const begun = performance.now();
  const port = await freePort();
  const args = ["run", "-s", "dev", "--", "--data", join(temporary.path, "data")];
  const dev = closeAfterTest(openDoor(args, { PORT: String(port) }));
  await dev.prints("stderr", /Server listening/, MOST_MS);
  const link = /Open (http\S+)/.exec(dev.stdout())?.[1] ?? "";
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ ...MODES.light, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  const opened = await watch(await context.newPage());
  const { page, faults } = opened;
  await setUp(opened, link, { name: "Ada", email: "ada@example.com" });
  await page.getByRole("button", { name: "Use sample data" }).click();
  await page.getByRole("button", { name: "Remove the sample data" }).waitFor({ timeout: MOST_MS });
  await page.getByRole("link", { name: "Open the newest invoice" }).click();
  await page.getByText("Recomputed: identical").waitFor();
  const took = performance.now() - begun;
  process.stdout.write(`From nothing to a finalized invoice: ${(took / 1000).toFixed(1)} s\n`);
  expect(faults).toEqual([]);
});
