/** The worker as the service composes it, with other settings. A process that is killed at any moment. */
import { composePlatform, composeWorker } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { readWorkerTask, tellReady } from "../worker-kills/worker-task.ts";
import { type SendingTask, tellUse } from "./sending-task.ts";

const { url, settings } = readWorkerTask<SendingTask>();
await composeWorker(composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "error", ...settings })));
tellReady();
tellUse();
