import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ClickhouseUnsupported } from "./errors.ts";
import { createMigratedClickhouse } from "./migrate.ts";
import { faultOfClickhouse } from "./versions.ts";

test("ClickHouse 25.8 and later are supported; an older one is refused, with what to do", () => {
  expect(["25.8.1.1", "25.12.3.4", "26.1.2.3"].map(faultOfClickhouse)).toEqual([undefined, undefined, undefined]);
  expect(["25.7.9.9", "24.12.1.1"].map(faultOfClickhouse)).toEqual([
    "ClickHouse 25.7.9.9 is older than 25.8: upgrade it",
    "ClickHouse 24.12.1.1 is older than 25.8: upgrade it",
  ]);
});

test("nothing but its version is asked of a server that is too old, and its database", async () => {
  const statements: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      statements.push(body.split("\n")[0]?.trim() ?? "");
      response.end(JSON.stringify({ version: "25.3.6.1" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tallystick`;
  const clickhouse = createMigratedClickhouse({ url, cluster: null });
  await expect(clickhouse.query("select 1")).rejects.toThrow(ClickhouseUnsupported);
  expect(statements).toEqual(["create database if not exists tallystick", "select version() as version"]);
  await clickhouse.close();
  server.closeAllConnections();
  server.close();
});
