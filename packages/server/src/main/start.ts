/** The service: `npm start` runs API and worker in one process, `npm start -- --only api` or `worker` one of them. */
import { parseArgs } from "node:util";
import { findUnsafeSettings } from "../platform/postgres/safety.ts";
import { composeApi, composePlatform, composeWorker } from "./compose.ts";
import { readConfig } from "./config.ts";
import { runCommand, runUntilStopped } from "./run-until-stopped.ts";

await runCommand(async () => {
  const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
  if (only !== undefined && only !== "api" && only !== "worker") throw new Error("--only takes api or worker");
  const config = readConfig();
  const platform = composePlatform(config);
  const faults = await findUnsafeSettings(platform.db);
  if (faults.length > 0) {
    await platform.close();
    throw new Error(`The database is not safe for billing:\n  ${faults.join("\n  ")}`);
  }
  const api = only === "worker" ? undefined : await composeApi(platform);
  const worker = only === "api" ? undefined : await composeWorker(platform);
  await api?.listen({ host: config.HOST, port: config.PORT });
  if (!api) platform.log.info("worker started");
  runUntilStopped(async () => {
    await api?.close();
    await worker?.stop();
    await platform.close();
  });
});
