/** How long a browser that knows nothing of the console needs until a page shows what it was opened for. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { MODES } from "../../tests/journeys/modes.ts";
import type { Records } from "./records.ts";
import { addressOf, type Screen } from "./screens.ts";

/** `shift`: how much moved while it was loaded, as browsers count it. */
export type Load = { largestMs: number; shownMs: number; shift: number };

/** A laptop beside the service, and an old one behind a slow line. */
export const SPEEDS = { fast: undefined, slow: { cpu: 4, bitsPerSecond: 10_000_000, latencyMs: 40 } } as const;
export type Speed = keyof typeof SPEEDS;

/** What a person may wait for the largest content, and what may move meanwhile. */
export const LARGEST_MAX_MS: Readonly<Record<Speed, number>> = { fast: 1000, slow: 2500 };
export const SHIFT_MAX = 0.01;

/** For the browser. */
const WATCH = `
  globalThis.seen = { largestMs: 0, shift: 0 };
  const watch = (type, see) => new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  watch("largest-contentful-paint", (entry) => { seen.largestMs = entry.startTime; });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
`;
/** After two frames, what was drawn is counted. */
const SEEN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(seen))))";

export type Visit = {
  url: string;
  records: Records;
  speed: Speed;
  storageState: NonNullable<BrowserContextOptions["storageState"]>;
};

/** Nothing is in the cache. */
export async function loadPage(browser: Browser, screen: Screen, visit: Visit): Promise<Load> {
  const context = await browser.newContext({ ...MODES.light, baseURL: visit.url, storageState: visit.storageState });
  try {
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.addInitScript({ content: WATCH });
    await slowDown(page, visit.speed);
    await page.goto(addressOf(screen, visit.records), { waitUntil: "commit" });
    await screen.shown(page).waitFor();
    const shownMs = await page.evaluate<number>("performance.now()");
    await page.waitForLoadState("networkidle");
    const { largestMs, shift } = await page.evaluate<Omit<Load, "shownMs">>(SEEN);
    return { largestMs: Math.round(largestMs), shownMs: Math.round(shownMs), shift: Math.round(shift * 1e4) / 1e4 };
  } finally {
    await context.close();
  }
}

async function slowDown(page: Page, speed: Speed): Promise<void> {
  const limits = SPEEDS[speed];
  if (!limits) return;
  const throughput = limits.bitsPerSecond / 8;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: limits.cpu });
  await session.send("Network.emulateNetworkConditions", {
    ...{ offline: false, latency: limits.latencyMs, downloadThroughput: throughput, uploadThroughput: throughput },
  });
}
