/** One ClickHouse for all tests of a run, started on first use: most runs need none, and it takes half a gigabyte. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { givenClickhouseUrl } from "../main/config.ts";
import { dropDatabase } from "../platform/clickhouse/clickhouse.ts";
import { type SpawnedEngine, spawnClickhouseEngine } from "./spawn-clickhouse-engine.ts";

export type ClickhouseOnDemand = { askAt: string; stop: () => Promise<void> };

/**
 * A request to `askAt` returns a new database, on the real server in CLICKHOUSE_URL or else on the development engine. Databases on a
 * real server are dropped at the end.
 */
export async function offerClickhouse(): Promise<ClickhouseOnDemand> {
  let engine: Promise<SpawnedEngine> | undefined;
  const given = givenClickhouseUrl();
  const answered: string[] = [];
  const urlOf = async (): Promise<string> => {
    if (given === undefined) engine ??= spawnClickhouseEngine();
    const url = new URL((await engine)?.url ?? given ?? "");
    url.pathname = `/test_${randomBytes(8).toString("hex")}`;
    answered.push(url.toString());
    return url.toString();
  };
  const server = createServer((_, response) => {
    urlOf().then(
      (url) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    askAt: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await (await engine)?.stop();
      if (given !== undefined) for (const url of answered) await dropDatabase({ url, cluster: null });
    },
  };
}
