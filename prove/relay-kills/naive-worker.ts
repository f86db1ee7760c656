/** A relay that is wrong on purpose: every send has a token of its own, so that what is sent again is taken again. */
import { randomUUID } from "node:crypto";
import { startLoops } from "../../packages/server/src/jobs/worker.ts";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { createRelay } from "../../packages/server/src/modules/usage/index.ts";
import { readWorkerTask, tellReady } from "../worker-kills/worker-task.ts";
import type { RelayTask } from "./worker.ts";

const LOOPS = 4;

const { url, clickhouseUrl } = readWorkerTask<RelayTask>();
const platform = composePlatform(readConfig({ DATABASE_URL: url, CLICKHOUSE_URL: clickhouseUrl, LOG_LEVEL: "silent" }));
const { clickhouse } = platform;
if (!clickhouse) throw new Error("the naive relay needs a ClickHouse");
const relay = createRelay({
  ...platform,
  clickhouse: {
    ...clickhouse,
    insert: (batch, options) => clickhouse.insert({ ...batch, token: randomUUID() }, options),
  },
});
startLoops(relay.step, LOOPS, () => undefined);
tellReady();
