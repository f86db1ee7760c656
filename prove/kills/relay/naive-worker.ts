/** A relay that is wrong on purpose: every send has a token of its own, so that what is sent again is taken again. */
import { randomUUID } from "node:crypto";
import { startLoops } from "../../../packages/server/src/jobs/worker.ts";
import { composePlatform } from "../../../packages/server/src/main/compose.ts";
import { createRelay } from "../../../packages/server/src/modules/usage/index.ts";
import { readSettings, type WorkerTask } from "../worker.ts";

const LOOPS = 4;

export async function runNaiveRelay(task: WorkerTask): Promise<undefined> {
  const platform = composePlatform(readSettings(task));
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
}
