/** Pictures of every page of the console in every mode, for visual review and for the guide. Two runs make the same pictures. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Clock, systemClock } from "../packages/server/src/platform/clock.ts";
import { launchChromium } from "../tests/journeys/chromium.ts";
import { ALL_MODES, MODES } from "../tests/journeys/modes.ts";
import { GUIDE_PICTURES, pictureName, picturesOfDocs } from "./console/picture-names.ts";
import { type SampleConsole, withSampleConsole } from "./console/sample-console.ts";
import { addressOf, SCREENS } from "./console/screens.ts";
import { signInByLink } from "./console/sign-in.ts";

const OPTIONS = {
  /** Replaces the pictures that pages of docs/ show, and makes no others. */
  guide: { type: "boolean", default: false },
  /** A part of the name of a picture. */
  only: { type: "string", default: "" },
} as const;

export async function makeConsolePictures() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  const folder = values.guide ? GUIDE_PICTURES : mkdtempSync(join(tmpdir(), "tallystick-pictures-"));
  mkdirSync(folder, { recursive: true });
  const inGuide = picturesOfDocs();
  const pictures = ALL_MODES.flatMap((mode) =>
    SCREENS.map((screen) => ({ mode, screen, name: pictureName(screen.name, mode) })),
  ).filter(({ name }) => (values.guide ? inGuide.has(name) : name.includes(values.only)));
  const clock = clockFrom("2026-11-19T09:30:00Z");
  const files = await withSampleConsole((console) => inBrowser(console, takeAll), { clock });
  return { folder, files };

  async function takeAll(open: Open, { records }: SampleConsole): Promise<string[]> {
    const made: string[] = [];
    for (const { mode, screen, name } of pictures) {
      const page = await open({
        ...MODES[mode],
        ...(screen.isSignedOut ? { storageState: { cookies: [], origins: [] } } : {}),
      });
      await page.goto(addressOf(screen, records));
      await screen.shown(page).waitFor();
      await screen.open?.(page);
      made.push(`${name} ${await take(page, join(folder, name), { isWhole: !values.guide })} bytes`);
      await page.context().close();
    }
    return made;
  }
}

/** Every run begins at the same time. From then on it passes, because the service waits for instants. */
function clockFrom(start: string): Clock {
  const ahead = systemClock.now().until(Temporal.Instant.from(start));
  return { now: () => systemClock.now().add(ahead) };
}

type Open = (options: BrowserContextOptions) => Promise<Page>;

async function inBrowser<Result>(
  console: SampleConsole,
  use: (open: Open, console: SampleConsole) => Promise<Result>,
): Promise<Result> {
  const browser: Browser = await launchChromium();
  try {
    const storageState = await signInByLink(browser, console.setupLink);
    const surroundings = { reducedMotion: "reduce", locale: "en-GB", timezoneId: "Europe/Berlin" } as const;
    const shared = { storageState, baseURL: console.url, deviceScaleFactor: 2, ...surroundings };
    return await use(async (options) => (await browser.newContext({ ...shared, ...options })).newPage(), console);
  } finally {
    await browser.close();
  }
}

/** Returns its size. */
async function take(page: Page, path: string, { isWhole }: { isWhole: boolean }): Promise<number> {
  await page.waitForLoadState("networkidle");
  await page.evaluate("document.fonts.ready.then(() => undefined)");
  return (await page.screenshot({ path, fullPage: isWhole, animations: "disabled" })).length;
}
