/** How people look at the console. CI walks each journey in two modes; `JOURNEY_MODES=all npm run journeys` in all four. */
import type { BrowserContextOptions } from "playwright-core";

export const MODES = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true },
  "dark phone": { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>;
export type Mode = keyof typeof MODES;

export const ALL_MODES = Object.keys(MODES) as Mode[];

export const modesOr = (...usual: readonly Mode[]): readonly Mode[] =>
  process.env.JOURNEY_MODES === "all" ? ALL_MODES : usual;
