/**
 * The service: `npm start` runs several API processes behind one port, one more for heavy requests, and a worker. `npm start -- --only api`
 * or `worker` runs a part of them. With `API_PROCESSES=1`, everything is in one process.
 */
import cluster from "node:cluster";
import { rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { parseArgs } from "node:util";
import { programPath } from "../platform/assets.ts";
import { pendingMigrations } from "../platform/postgres/migrate.ts";
import { tellReady } from "../platform/processes/supervise.ts";
import { composeApi, composePlatform, type Platform } from "./compose.ts";
import { composeWorker } from "./compose-work.ts";
import { demandPublicUrl, findAddressWarnings, readConfig } from "./config.ts";
import { findDatabaseFaults } from "./databases.ts";
import { checkLogins } from "./login-check.ts";
import { sharedByProcesses, startProcesses } from "./processes.ts";
import { findWarnings } from "./readiness.ts";
import { type OnStop, runUntilStopped } from "./run-until-stopped.ts";

const { only, heavy } = parseArgs({ options: { only: { type: "string" }, heavy: { type: "string" } } }).values;

/** While requests keep the cores busy, work that nobody waits for at this moment comes second. */
const { priority } = constants;

/** What a process without workers needs of the database. */
const OF_API = { api: { WORKER_CONCURRENCY: "1" }, heavy: { WORKER_CONCURRENCY: "1", DATABASE_CONNECTIONS: "4" } };

await runUntilStopped(async (onStop) => {
  if (only !== undefined && only !== "api" && only !== "worker" && !cluster.isWorker)
    throw new Error("--only takes api or worker");
  const config = readConfig(cluster.isWorker && only !== "worker" ? OF_API[only === "heavy" ? "heavy" : "api"] : {});
  demandPublicUrl(config);
  const platform = composePlatform(config);
  onStop(platform.close);
  if (cluster.isWorker) return startPart(platform, onStop);
  await checkDatabase(platform);
  if (config.API_PROCESSES > 1 && only !== "worker")
    return startProcesses(platform, { only, program: programPath("start"), onStop });
  if (only !== "api") await startWork(platform, onStop);
  if (only !== "worker") {
    const api = await composeApi(platform);
    onStop(() => api.close());
    await api.listen({ host: config.HOST, port: config.PORT });
  }
});

async function checkDatabase(platform: Platform): Promise<void> {
  const faults = await findDatabaseFaults(platform);
  if (faults.length > 0) throw new Error(`The database is not safe for billing:\n  ${faults.join("\n  ")}`);
  const pending = await pendingMigrations(platform.db);
  if (pending.length > 0) throw new Error(`The database lacks ${pending.join(", ")}: run "npm run migrate"`);
  await checkLogins(platform);
  for (const warning of findAddressWarnings(platform.config)) platform.log.warn(warning);
  // Migrates ClickHouse. If that fails, events are still accepted, and bills wait.
  for (const warning of await findWarnings(platform)) platform.log.warn(warning);
}

async function startWork(platform: Platform, onStop: OnStop): Promise<void> {
  const worker = await composeWorker(platform);
  onStop(worker.stop);
  platform.log.info("worker started");
}

/** In a child process. */
async function startPart(platform: Platform, onStop: OnStop): Promise<void> {
  const shared = sharedByProcesses(platform);
  if (only !== "api") setPriority(priority.PRIORITY_BELOW_NORMAL);
  if (only === "worker") await startWork(platform, onStop);
  else {
    const api = await composeApi(
      platform,
      only === "heavy" ? { ...shared, isHeavy: true } : { ...shared, heavySocket: heavy },
    );
    onStop(() => api.close());
    if (heavy !== undefined && only === "heavy") {
      // The socket of a process that was killed.
      await rm(heavy, { force: true });
      await api.listen({ path: heavy, exclusive: true });
    } else await api.listen({ host: platform.config.HOST, port: platform.config.PORT });
  }
  tellReady();
}
