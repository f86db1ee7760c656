/** The worker as the service composes it, with a ClickHouse. A process that is killed at any moment. */
import { composePlatform, composeWorker } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { readWorkerTask, tellReady, type WorkerTask } from "../worker-kills/worker-task.ts";

export type RelayTask = WorkerTask & { clickhouseUrl: string };

const { url, clickhouseUrl } = readWorkerTask<RelayTask>();
const settings = { DATABASE_URL: url, CLICKHOUSE_URL: clickhouseUrl, LOG_LEVEL: "silent", WORKER_CONCURRENCY: "2" };
await composeWorker(composePlatform(readConfig(settings)));
tellReady();
