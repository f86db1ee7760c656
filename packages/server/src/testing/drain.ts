/** Does the work of workers until nothing is left. */
import { Logger, runTaskListOnce } from "graphile-worker";
import { dispatchMessages } from "../jobs/outbox.ts";
import { toTaskList } from "../jobs/queue.ts";
import { createDueRunner } from "../jobs/run-dues.ts";
import type { Platform } from "../main/compose.ts";
import { composeJobs } from "../main/compose-work.ts";

const quiet = new Logger(() => () => undefined);

export async function drain(platform: Platform): Promise<void> {
  const { registry, subscribers } = platform;
  const runDues = createDueRunner(platform, registry);
  let worked = true;
  while (worked) {
    // First, because it does not report whether it did anything; the others find what it adds.
    await runJobs(platform);
    worked = false;
    for (const consume of Object.values(platform.consumers)) worked = (await consume()) || worked;
    worked = (await runDues()) || worked;
    // Publishes all messages, because one round for each would be slower.
    while (await dispatchMessages(platform, subscribers)) worked = true;
    for (const send of Object.values(platform.senders)) while (await send()) worked = true;
  }
}

/** The queued jobs that are ready. */
export async function runJobs(platform: Platform): Promise<void> {
  const client = await platform.queuePool.connect();
  try {
    await runTaskListOnce({ logger: quiet }, toTaskList(composeJobs(platform)), client);
  } finally {
    client.release();
  }
}
