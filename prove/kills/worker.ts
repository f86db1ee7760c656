/** The worker as the service composes it. */

import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { composeWorker } from "../../packages/server/src/main/compose-work.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";

export type WorkerTask = {
  url: string;
  /** Beside the URL and the level of the log. */
  settings: Parameters<typeof readConfig>[0];
};

/** What a process takes, as it says twice a second. */
export type Use = { rssBytes: number; cpuSeconds: number };

const SAY_EVERY_MS = 500;

export const readSettings = ({ url, settings }: WorkerTask) =>
  readConfig({ DATABASE_URL: url, LOG_LEVEL: "error", ...settings });

export async function runWorker(task: WorkerTask): Promise<undefined> {
  await composeWorker(composePlatform(readSettings(task)));
  sayUse();
}

export function sayUse(): void {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    process.send?.({ rssBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 } satisfies Use);
  }, SAY_EVERY_MS);
}
