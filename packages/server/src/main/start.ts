/** The service: `npm start` runs API and worker in one process, `npm start -- --only api` or `worker` one of them. */
import { parseArgs } from "node:util";
import { pendingMigrations } from "../platform/postgres/migrate.ts";
import { findUnsafeSettings } from "../platform/postgres/safety.ts";
import { composeApi, composePlatform, composeWorker } from "./compose.ts";
import { demandPublicUrl, readConfig } from "./config.ts";
import { findWarnings } from "./readiness.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

await runUntilStopped(async (onStop) => {
  const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
  if (only !== undefined && only !== "api" && only !== "worker") throw new Error("--only takes api or worker");
  const config = readConfig();
  demandPublicUrl(config);
  const platform = composePlatform(config);
  onStop(platform.close);
  const faults = await findUnsafeSettings(platform.db);
  if (faults.length > 0) throw new Error(`The database is not safe for billing:\n  ${faults.join("\n  ")}`);
  const pending = await pendingMigrations(platform.db);
  if (pending.length > 0) throw new Error(`The database lacks ${pending.join(", ")}: run "npm run migrate"`);
  // Migrates ClickHouse. If that fails, events are still accepted, and bills wait.
  for (const warning of await findWarnings(platform)) platform.log.warn(warning);

  if (only !== "api") {
    const worker = await composeWorker(platform);
    onStop(worker.stop);
    platform.log.info("worker started");
  }
  if (only !== "worker") {
    const api = await composeApi(platform);
    onStop(() => api.close());
    await api.listen({ host: config.HOST, port: config.PORT });
  }
});
