/** What a person waits for who types a price in the plan editor: from the key to the paint of what a month would cost. */
import type { Page } from "playwright-core";
import { launchChromium } from "../tests/journeys/chromium.ts";
import { MODES } from "../tests/journeys/modes.ts";
import { withSampleConsole } from "./console/sample-console.ts";
import { signInByLink } from "./console/sign-in.ts";

/** Six prices and a minimum commitment, each simulated at every key. */
const PLAN = "sample_scale";
const KEYS = 300;
const WARM_UP = 30;
/** What a person may wait for, of 100 keys 95 times. */
const MOST_MS = 50;

/** For the browser: a message that a frame sends comes after its paint. */
const WATCH = `
  globalThis.waits = [];
  addEventListener("keydown", () => {
    const from = performance.now();
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => waits.push(performance.now() - from);
      port2.postMessage(null);
    });
  }, { capture: true });
`;

export async function measureTyping() {
  return withSampleConsole(async ({ url, setupLink, records: { organization } }) => {
    const browser = await launchChromium();
    try {
      const storageState = await signInByLink(browser, setupLink);
      const context = await browser.newContext({ ...MODES.light, baseURL: url, storageState });
      const page = await context.newPage();
      await page.addInitScript({ content: WATCH });
      await page.goto(`/o/${organization}/plans/${PLAN}/edit`);
      await page.getByLabel("Simulated total").waitFor();
      const waits = await type(page);
      const sorted = waits.toSorted((one, other) => one - other);
      const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
      return {
        plan: PLAN,
        keys: sorted.length,
        medianMs: at(0.5),
        p95Ms: at(0.95),
        slowestMs: at(0.999),
        mostMs: MOST_MS,
      };
    } finally {
      await browser.close();
    }
  });
}

/** For the browser, whose pages allow no functions from text. */
const painted = (keys: number): string =>
  `new Promise((done) => { const look = () => waits.length < ${keys} ? requestAnimationFrame(look) : done(); look(); })`;

/** One key after another, each once the last one is painted. */
async function type(page: Page): Promise<number[]> {
  await page.getByLabel("Price of tier 2").first().fill("0.00");
  for (let key = 0; key < KEYS + WARM_UP; key++) {
    await page.keyboard.press(key % 2 === 1 ? "Backspace" : String((key % 9) + 1));
    await page.evaluate(painted(key + 1));
  }
  return (await page.evaluate<number[]>("waits")).slice(WARM_UP);
}
