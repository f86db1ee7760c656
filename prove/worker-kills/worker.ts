/** The real worker, as the service composes it, with the work of the campaign. A process that is killed at any moment. */
import { composePlatform, composeWorker } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { createWork, type DeliveringTask } from "./work.ts";
import { readWorkerTask, tellReady } from "./worker-task.ts";

const task = readWorkerTask<DeliveringTask>();
const config = readConfig({ DATABASE_URL: task.url, LOG_LEVEL: "error", WORKER_CONCURRENCY: "4" });
await composeWorker(composePlatform(config, createWork(task)));
tellReady();
