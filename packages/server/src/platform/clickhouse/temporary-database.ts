/** A migrated, temporary ClickHouse database that leaves nothing behind: for the sandbox and for tests. */
import { randomBytes } from "node:crypto";
import { type ClickhouseConfig, dropDatabase } from "./clickhouse.ts";
import { migrateClickhouse } from "./migrate.ts";

export type TemporaryClickhouse = { config: ClickhouseConfig; remove: () => Promise<void> };

/** On the server of `config`, next to the database that it names. */
export async function createTemporaryClickhouse(config: ClickhouseConfig): Promise<TemporaryClickhouse> {
  const url = new URL(config.url);
  url.pathname = `/tallystick_${randomBytes(8).toString("hex")}`;
  const own = { ...config, url: url.toString() };
  await migrateClickhouse(own);
  return { config: own, remove: () => dropDatabase(own) };
}
