/** What people wait for who open a page of the console for the first time: the built console, with sample data, at two speeds. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { launchChromium } from "../tests/journeys/chromium.ts";
import { type Load, loadPage, SPEEDS, type Visit } from "./console/load-page.ts";
import { withSampleConsole } from "./console/sample-console.ts";
import { SCREENS, type Screen } from "./console/screens.ts";
import { signInByLink } from "./console/sign-in.ts";

type Measured = Load & { slowestMs: number };

export async function measureConsole() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { rounds: { type: "string", default: "5" } } });
  const rounds = Number(values.rounds);
  return withSampleConsole(async ({ url, setupLink, records }) => {
    const browser = await launchChromium();
    try {
      const storageState = await signInByLink(browser, setupLink);
      const loadBefore = loadNow();
      const fast = await measureAll(browser, rounds, { url, records, storageState, speed: "fast" });
      const slow = await measureAll(browser, rounds, { url, records, storageState, speed: "slow" });
      return {
        ...{ rounds, speeds: SPEEDS, loadBefore, loadAfter: loadNow() },
        worst: {
          fastLargestMs: worst(fast, "largestMs"),
          slowLargestMs: worst(slow, "largestMs"),
          shift: Math.max(worst(fast, "shift"), worst(slow, "shift")),
        },
        ...{ fast, slow },
      };
    } finally {
      await browser.close();
    }
  });
}

const loadNow = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10;

/** Each page in turn, so that other load on the machine slows all. The first round warms up the service. */
async function measureAll(browser: Browser, rounds: number, visit: Visit): Promise<Record<string, Measured>> {
  const loads = new Map<Screen, Load[]>(SCREENS.filter(({ isMain }) => isMain).map((screen) => [screen, []]));
  for (let round = 0; round <= rounds; round++)
    for (const [screen, list] of loads) {
      const load = await loadPage(browser, screen, visit);
      if (round > 0) list.push(load);
    }
  return Object.fromEntries([...loads].map(([{ name }, list]) => [name, medianOf(list)]));
}

const median = (list: readonly number[]): number => list.toSorted((one, other) => one - other)[list.length >> 1] ?? 0;

const medianOf = (loads: readonly Load[]): Measured => ({
  largestMs: median(loads.map(({ largestMs }) => largestMs)),
  slowestMs: Math.max(...loads.map(({ largestMs }) => largestMs)),
  shownMs: median(loads.map(({ shownMs }) => shownMs)),
  shift: Math.max(...loads.map(({ shift }) => shift)),
});

const worst = (pages: Readonly<Record<string, Measured>>, figure: keyof Measured): number =>
  Math.max(...Object.values(pages).map((page) => page[figure]));
