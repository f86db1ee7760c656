import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { newClickhouse, startClickhouse } from "../../testing/start-clickhouse.ts";
import { createClickhouse, dropDatabase } from "./clickhouse.ts";
import { ClickhouseRefused, ClickhouseUnreachable } from "./errors.ts";
import { copyIdentity, createMigratedClickhouse, listMigrations, migrateClickhouse } from "./migrate.ts";
import { createTemporaryClickhouse } from "./temporary-database.ts";

const { clickhouse } = await startClickhouse();

const event = (position: number, receivedAt: string) => ({
  organization_id: "018f0000-0000-7000-8000-000000000001",
  external_subscription_id: "sub",
  code: "calls",
  timestamp: String(-62_135_596_800_000_000n),
  received_at: receivedAt,
  shard: 3,
  position: String(position),
  id: randomUUID(),
  transaction_id: `t${position}`,
  digest: String(2n ** 128n - 1n),
  properties: { amount: "12.5", "it's": 'a "name" \\ of é' },
  derivations: [],
});

describe("what comes back is exact", () => {
  it("decimals and numbers of more than 32 bits are returned as text", async () => {
    const [row] = await clickhouse.query(
      "select toUInt64(18446744073709551615) a, toUInt128('340282366920938463463374607431768211455') b, toDecimal256('123456789012345678901234.000000000000000001', 18) c",
    );
    expect(row).toEqual({
      a: "18446744073709551615",
      b: "340282366920938463463374607431768211455",
      c: "123456789012345678901234.000000000000000001",
    });
  });

  it("bound values arrive as they are", async () => {
    const texts = ["it's", "\\", "\\n", "\n\t\r", 'quo"ted', "{a:String}", "é😀", "", "NULL", "\\N"];
    const [row] = await clickhouse.query(
      "select {all:Array(String)} as all, {one:String} as one, {none:Nullable(String)} as none",
      {
        all: texts,
        one: texts.join("|"),
        none: null,
      },
    );
    expect(row).toEqual({ all: texts, one: texts.join("|"), none: null });
  });
});

describe("a batch with its token", () => {
  it("is inserted once, even if its rows are in several months", async () => {
    const rows = Array.from({ length: 300 }, (_, index) => event(index, `2026-0${1 + (index % 3)}-05 10:00:00.000001`));
    for (const _ of [1, 2]) await clickhouse.insert({ table: "relay_in", rows, token: "batch 1" });
    await clickhouse.insert({ table: "relay_in", rows: rows.slice(0, 1), token: "batch 2" });
    const [found] = await clickhouse.query(
      "select count() as count, sum(digest) as digest, any(properties) as properties from events",
    );
    expect(found).toEqual({ count: "301", digest: String(2n ** 128n - 301n), properties: rows[0]?.properties });
  });
});

describe("failures are classified", () => {
  it("refused, with the server's code", async () => {
    const refused = clickhouse.query("select * from nowhere");
    await expect(refused).rejects.toThrow(ClickhouseRefused);
    await expect(refused).rejects.toMatchObject({ code: 60, type: "UNKNOWN_TABLE" });
  });

  it("unreachable, if no server listens", async () => {
    const nobody = createClickhouse({ url: "http://127.0.0.1:1/tallystick", cluster: null });
    await expect(nobody.query("select 1")).rejects.toThrow(ClickhouseUnreachable);
    await nobody.close();
  });

  it("unreachable, if the server accepts the connection and does not respond in time", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const config = { url: `http://127.0.0.1:${port}/tallystick`, cluster: null };
    for (const requested of [createClickhouse(config), createMigratedClickhouse(config)]) {
      const waiting = requested.query("select 1", {}, { signal: AbortSignal.timeout(50) });
      await expect(waiting).rejects.toThrow(ClickhouseUnreachable);
      await requested.close();
    }
    silent.closeAllConnections();
    silent.close();
  });
});

describe("migrations", () => {
  it("run before the first statement, and a rebuilt copy has another id", async () => {
    const { config, remove } = await createTemporaryClickhouse(await newClickhouse());
    const before = createMigratedClickhouse(config);
    const first = await copyIdentity(before);
    await before.close();
    await remove();
    const after = createMigratedClickhouse(config);
    const second = await copyIdentity(after);
    expect([first, second]).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect(second).not.toBe(first);
    await after.close();
    await remove();
  });

  it("can be applied concurrently, and are applied once", async () => {
    const config = await newClickhouse();
    await Promise.all([migrateClickhouse(config), migrateClickhouse(config), migrateClickhouse(config)]);
    expect(await migrateClickhouse(config)).toEqual([]);
    const migrated = createClickhouse(config);
    expect(await migrated.query("select distinct name from migrations_applied order by name")).toEqual(
      (await listMigrations()).map((name) => ({ name })),
    );
    await migrated.close();
    await dropDatabase(config);
  });
});
