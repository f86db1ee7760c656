/** What a worker that sends is told, and what it tells of itself. */
import type { readConfig } from "../../packages/server/src/main/config.ts";
import type { WorkerTask } from "../worker-kills/worker-task.ts";

export type SendingTask = WorkerTask & { settings: Parameters<typeof readConfig>[0]; organizationIds: string[] };

export type Use = { rssBytes: number; cpuSeconds: number };

const TELL_EVERY_MS = 500;

export function tellUse(): void {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    process.send?.({ rssBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 } satisfies Use);
  }, TELL_EVERY_MS);
}
