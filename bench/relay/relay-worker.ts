/** The relay in its own process, without the other work of a worker. */
import { startLoops } from "../../packages/server/src/jobs/worker.ts";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";

export type Relaying = { databaseUrl: string; clickhouseUrl: string };

const LOOPS = 4;

process.once("message", ({ databaseUrl, clickhouseUrl }: Relaying) => {
  const settings = { DATABASE_URL: databaseUrl, CLICKHOUSE_URL: clickhouseUrl, LOG_LEVEL: "error" };
  const { relay } = composePlatform(readConfig(settings));
  if (!relay) throw new Error("there is no ClickHouse to relay to");
  startLoops(relay.step, LOOPS, (error) => console.error(error));
  process.send?.("ready");
  process.once("disconnect", () => process.exit());
});
