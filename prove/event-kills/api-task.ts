/** What an API process is told when it starts, and how it tells where it listens. */
import { flushCompileCache } from "node:module";
import type { composeApi } from "../../packages/server/src/main/compose.ts";
import { type Config, NO_RATE_LIMITS, readConfig } from "../../packages/server/src/main/config.ts";

/** In the process: its settings. Its end comes by SIGKILL, or with the process that started it. */
export function readApiTask(): Config {
  process.on("disconnect", () => process.exit(1));
  // Few connections: a process lives so short here that opening them would be most of the database's work.
  const few = { DATABASE_CONNECTIONS: "6", WORKER_CONCURRENCY: "1" };
  return readConfig({ DATABASE_URL: process.argv[2] ?? "", LOG_LEVEL: "silent", ...few, ...NO_RATE_LIMITS });
}

export async function listen(app: Awaited<ReturnType<typeof composeApi>>): Promise<void> {
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  // Node would write it when the process ends, which a killed one does not.
  flushCompileCache();
  // Whoever started it may be gone already.
  process.send?.(address, () => undefined);
}
