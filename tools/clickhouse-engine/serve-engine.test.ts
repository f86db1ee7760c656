// What the stock client may rely on. With CLICKHOUSE_URL the same tests run against a real server.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type ClickHouseClient, createClient, TupleParam } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type SpawnedEngine,
  spawnClickhouseEngine,
} from "../../packages/server/src/testing/spawn-clickhouse-engine.ts";

const given = process.env.CLICKHOUSE_URL;
const database = `engine_${randomBytes(6).toString("hex")}`;
let engine: SpawnedEngine | undefined;
let url: string;
let client: ClickHouseClient;

beforeAll(async () => {
  engine = given ? undefined : await spawnClickhouseEngine();
  url = given ? new URL("/", given).toString() : `${engine?.url}/`;
  client = connect(database);
  await connect("default").command({ query: `create database ${database}` });
});
afterAll(async () => {
  await client.command({ query: `drop database ${database}` });
  await client.close();
  await engine?.stop();
});

const connect = (name: string, at = url): ClickHouseClient =>
  createClient({ url: at, database: name, compression: { request: true, response: true }, log: { level: 127 } });
const rows = async (query: string, query_params = {}, settings = {}): Promise<unknown> => {
  const clickhouse_settings = {
    output_format_json_quote_64bit_integers: 1,
    output_format_json_quote_decimals: 1,
    ...settings,
  } as const;
  return (await client.query({ query, query_params, clickhouse_settings, format: "JSONEachRow" })).json();
};

describe("a query", () => {
  it("answers a ping, and a GET with the query in the URL", async () => {
    expect(await client.ping()).toMatchObject({ success: true });
    const answer = await fetch(`${url}?query=${encodeURIComponent("select 1")}&query_id=mine`, {
      headers: authorization(),
    });
    expect([answer.status, await answer.text(), answer.headers.get("x-clickhouse-query-id")]).toEqual([
      200,
      "1\n",
      "mine",
    ]);
  });

  it("binds scalars, dates, decimals, lists, tuples and nulls unchanged", async () => {
    const texts = ["it's", "\\", "\\n", "\n\t\r", 'quo"ted', "{a:String}", "é😀", "", "NULL"];
    const types = {
      text: "String",
      list: "Array(String)",
      nothing: "Nullable(String)",
      wide: "UInt128",
      exact: "Decimal(76, 18)",
      at: "DateTime64(6, 'UTC')",
      day: "Date",
      second: "DateTime('UTC')",
      id: "UUID",
      positions: "Array(UInt64)",
      pairs: "Array(Tuple(UInt16, UInt64))",
      maybe: "Array(Nullable(String))",
      no: "Bool",
    };
    const statement = Object.entries(types).map(([name, type]) => `{${name}:${type}} as ${name}`);
    const values = {
      text: texts.join("|"),
      list: texts,
      nothing: null,
      wide: 2n ** 128n - 1n,
      exact: "123456789012345678901234567890.000000000000000001",
      at: "2026-01-02 03:04:05.000006",
      day: "2026-02-03",
      second: "2026-02-03 04:05:06",
      id: "018f0000-0000-7000-8000-000000000001",
      positions: [1n, 2n ** 64n - 1n],
      pairs: [new TupleParam([1, 2n])],
      maybe: ["a'b", null],
      no: false,
    };
    expect(await rows(`select ${statement}, '{text:String}' as quoted -- {nobody:String}`, values)).toEqual([
      {
        ...values,
        wide: "340282366920938463463374607431768211455",
        positions: ["1", "18446744073709551615"],
        pairs: [[1, "2"]],
        quoted: "{text:String}",
      },
    ]);
  });

  it("uses its own database and settings, whatever the previous request used", async () => {
    await client.command({ query: "create table mine (a UInt64) engine = MergeTree order by a" });
    const quoted = async (yes: 0 | 1) =>
      rows("select toUInt64(7) as a", {}, { output_format_json_quote_64bit_integers: yes });
    expect(await Promise.all([quoted(1), quoted(0), quoted(1), quoted(0), quoted(1), quoted(0)])).toEqual(
      [1, 0, 1, 0, 1, 0].map((yes) => [{ a: yes ? "7" : 7 }]),
    );
    await expect(connect("default").command({ query: "select * from mine" })).rejects.toMatchObject({
      type: "UNKNOWN_TABLE",
    });
    expect(await rows("select count() as all from mine")).toEqual([{ all: "0" }]);
  });

  it("gives each of many concurrent requests its own answer", async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((n) => rows("select {n:UInt32} as n, sleep(0.01)", { n })));
    expect(answers).toEqual(numbers.map((n) => [{ n, "sleep(0.01)": 0 }]));
  });
});

describe("a refusal", () => {
  it.each([
    ["select * from nowhere", 404, 60, "UNKNOWN_TABLE"],
    ["selec 1", 400, 62, "SYNTAX_ERROR"],
    ["select nothing", 404, 47, "UNKNOWN_IDENTIFIER"],
    ["select throwIf(1)", 500, 395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"],
    ["select {unbound:String}", 400, 456, "UNKNOWN_QUERY_PARAMETER"],
  ])("%s is %i with code %i", async (query, status, code, type) => {
    const answer = await fetch(url, { method: "POST", body: query, headers: authorization() });
    expect([answer.status, answer.headers.get("x-clickhouse-exception-code")]).toEqual([status, String(code)]);
    expect(await answer.text()).toMatch(new RegExp(`^Code: ${code}\\..*\\(${type}\\)`, "s"));
    await expect(client.query({ query })).rejects.toMatchObject({ code: String(code), type });
  });

  it("with an unknown setting changes nothing", async () => {
    await expect(rows("select 1", {}, { no_such_setting: 1 })).rejects.toMatchObject({ code: "115" });
    for (const _ of [1, 2, 3, 4, 5]) expect(await rows("select 1 as a")).toEqual([{ a: 1 }]);
  });
});

describe("an insert", () => {
  it("takes its rows from the body, with or without gzip, and answers in gzip on request", async () => {
    await client.command({
      query: "create table given (a UInt64, b Map(String, String)) engine = MergeTree order by a",
    });
    const insert = `${url}?database=${database}&query=${encodeURIComponent("insert into given format JSONEachRow")}`;
    const send = (body: Uint8Array | string, headers = {}) =>
      fetch(insert, { method: "POST", body, headers: { ...authorization(), ...headers } });
    expect((await send('{"a":1,"b":{"x":"it\'s"}}')).status).toBe(200);
    expect((await send(gzipSync('{"a":2}\n{"a":3}'), { "content-encoding": "gzip" })).status).toBe(200);
    await client.insert({ table: "given", columns: ["a"], values: [{ a: 4 }], format: "JSONEachRow" });
    await client.insert({ table: "given", values: [["5", {}]], format: "JSONCompactEachRow" });
    expect(await rows("select groupArray(a) as a, max(b['x']) as x from (select * from given order by a)")).toEqual([
      { a: ["1", "2", "3", "4", "5"], x: "it's" },
    ]);
    const { request } = await import("node:http");
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const headers = { "accept-encoding": "gzip", ...authorization() };
      const requested = request(`${url}?enable_http_compression=1&query=select+1`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks)));
      });
      requested.on("error", reject).end();
    });
    expect(gunzipSync(answer).toString()).toBe("1\n");
  });

  it("that cannot be parsed is refused as a whole", async () => {
    await client.command({ query: "create table whole (a UInt64) engine = MergeTree order by a" });
    const values = [{ a: "1" }, { a: "2x" }];
    await expect(client.insert({ table: "whole", values, format: "JSONEachRow" })).rejects.toMatchObject({
      code: "27",
    });
    expect(await rows("select count() as all from whole")).toEqual([{ all: "0" }]);
  });
});

// A real server is not ours to kill.
describe.runIf(given === undefined)("a process that is killed", () => {
  it("keeps what it confirmed, and takes an interrupted batch only once when it is repeated with its token", async () => {
    const data = mkdtempSync(join(tmpdir(), "tallystick-engine-test-"));
    let killed = await spawnClickhouseEngine({ data });
    const port = Number(new URL(killed.url).port);
    const own = connect("default", killed.url);
    const window = "settings non_replicated_deduplication_window = 100";
    for (const query of [
      "create table incoming (batch String, a UInt64, month Date) engine = Null",
      `create table kept (batch String, a UInt64, month Date) engine = MergeTree partition by month order by a ${window}`,
      "create materialized view kept_mv to kept as select * from incoming",
      `create table sums (batch String, n SimpleAggregateFunction(sum, UInt64)) engine = AggregatingMergeTree order by batch ${window}`,
      "create materialized view sums_mv to sums as select batch, count() as n from incoming group by batch",
    ])
      await own.command({ query });
    const insert = (batch: string) =>
      own.insert({
        table: "incoming",
        values: Array.from({ length: 3_000 }, (_, a) => ({ batch, a, month: `2026-0${1 + (a % 3)}-01` })),
        format: "JSONEachRow",
        clickhouse_settings: {
          insert_deduplication_token: batch,
          deduplicate_blocks_in_dependent_materialized_views: 1,
        },
      });
    await insert("answered");
    const underWay = insert("under way").catch(() => "not answered");
    await own.query({ query: "select 1" });
    await killed.kill();
    await underWay;
    killed = await spawnClickhouseEngine({ data, port });
    for (const batch of ["answered", "under way", "under way"]) await insert(batch);
    const answer = await own.query({
      query: `select batch, count() as kept, uniqExact(a) as different, (select sum(n) from sums where sums.batch = 'answered') as derived
        from kept group by batch order by batch`,
      format: "JSONEachRow",
    });
    const [answered, again] = await answer.json<{ kept: number; different: number; derived: number }>();
    expect(answered).toEqual({ batch: "answered", kept: 3_000, different: 3_000, derived: 3_000 });
    // A killed engine may have stored a token without its rows, so a sender that repeats compares afterwards.
    expect(again?.kept).toBe(again?.different);
    await own.close();
    await killed.stop();
    rmSync(data, { recursive: true });
  });
});

function authorization(): Record<string, string> {
  if (given === undefined) return {};
  const { username, password } = new URL(given);
  return {
    "X-ClickHouse-User": decodeURIComponent(username) || "default",
    "X-ClickHouse-Key": decodeURIComponent(password),
  };
}
