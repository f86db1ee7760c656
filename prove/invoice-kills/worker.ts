/** The worker as the service composes it, with nothing added. A process that is killed at any moment. */
import { composePlatform, composeWorker } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { readWorkerTask, tellReady } from "../worker-kills/worker-task.ts";

const { url } = readWorkerTask();
await composeWorker(composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "error", WORKER_CONCURRENCY: "2" })));
tellReady();
