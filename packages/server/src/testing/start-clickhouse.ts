/** A ClickHouse database for one test file, with the newest schema, on the shared engine or on CLICKHOUSE_URL. */
import { afterAll, inject } from "vitest";
import {
  type Clickhouse,
  type ClickhouseConfig,
  createClickhouse,
  dropDatabase,
} from "../platform/clickhouse/clickhouse.ts";
import { migrateClickhouse } from "../platform/clickhouse/migrate.ts";

export type TestClickhouse = { url: string; clickhouse: Clickhouse };

export async function startClickhouse(options: { outlivesFile?: boolean } = {}): Promise<TestClickhouse> {
  const config = await newClickhouse();
  await migrateClickhouse(config);
  const clickhouse = createClickhouse(config);
  if (!options.outlivesFile)
    afterAll(async () => {
      await clickhouse.close();
      await dropDatabase(config);
    });
  return { url: config.url, clickhouse };
}

/** Returns the name of a database that does not exist yet. */
export async function newClickhouse(): Promise<ClickhouseConfig> {
  const answer = await fetch(inject("clickhouseAskAt"));
  if (!answer.ok) throw new Error(await answer.text());
  return { url: await answer.text(), cluster: null };
}
