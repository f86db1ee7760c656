import { describe, expect, it } from "vitest";
import { runOn } from "../../../../platform/postgres/temporary-database.ts";
import { createPutEvents, type PutEvent } from "../../../../testing/put-events.ts";
import { makeTestOrganization, startTallystick } from "../../../../testing/start-tallystick.ts";
import { UsageBehind } from "./index.ts";

const service = await startTallystick({ clickhouse: true, organizations: 3 });
const { platform, organizations } = service;
const clickhouse = platform.clickhouse ?? expect.fail("there is no ClickHouse");
const relay = platform.relay ?? expect.fail("there is no relay");
const put = createPutEvents(platform.db);
const [{ id: one } = { id: "" }, { id: other } = { id: "" }] = organizations;
const soon = () => AbortSignal.timeout(60_000);

let made = 0;
const events = (count: number, properties: PutEvent["properties"] = [["amount", "1.50"]]): PutEvent[] =>
  Array.from({ length: count }, () => ({
    transactionId: `t${made++}`,
    code: "calls",
    at: Temporal.Instant.from("2026-01-31T09:00:00.123456Z"),
    properties,
    digest: 2n ** 127n + BigInt(made),
  }));

type Row = { count: string; digest: string };
const inClickhouse = async (organizationId: string): Promise<Row | undefined> => {
  const [row] = await clickhouse.query<Row>(
    `select count() as count, toString(sum(digest)) as digest from events where organization_id = '${organizationId}'`,
  );
  return row;
};
const digestOf = (all: readonly PutEvent[]): string =>
  String(all.reduce((sum, { digest }) => sum + digest, 0n) % 2n ** 128n);

describe("catching up", () => {
  it("copies every accepted event into ClickHouse, of all shards, once", async () => {
    const first = events(120);
    const second = events(30);
    await put(one, "sub", first, 0);
    await put(one, "sub", second, 2);
    const cut = await platform.events.takeCut(one);
    expect(await relay.catchUp(one, cut, soon())).toEqual([120n, 0n, 30n]);
    expect(await relay.catchUp(one, cut, soon())).toEqual([120n, 0n, 30n]);
    expect(await inClickhouse(one)).toEqual({ count: "150", digest: digestOf([...first, ...second]) });
  });

  it("has nothing to do for an organization without events", async () => {
    expect(await relay.catchUp(other, null, soon())).toEqual([]);
  });

  it("keeps every text, timestamp and number as Postgres has it", async () => {
    const odd = [
      {
        at: "0001-01-01T00:00:00Z",
        code: 'a "code" \\ \n é😀',
        properties: [["n", "123456789012345678901234567890.5"]],
      },
      {
        at: "9999-12-31T23:59:59.999999Z",
        code: "later",
        properties: [
          ["nested", '{"b":1.0,"a":[null,"x"]}'],
          ["t", "true"],
        ],
      },
      {
        at: "1969-12-31T23:59:59.999999Z",
        code: "before",
        properties: [
          ["none", "null"],
          ["control", '"\\u0001\\t"'],
        ],
      },
    ] as const;
    const made = odd.map(({ at, code, properties }, index) => ({
      ...(events(1)[0] as PutEvent),
      transactionId: `odd ${index} \u2028`,
      at: Temporal.Instant.from(at),
      code,
      properties,
    }));
    await put(other, "it's", made, 1);
    await relay.catchUp(other, null, soon());
    const rows = await clickhouse.query(
      `select transaction_id, code, timestamp, external_subscription_id, properties, position, shard from events
        where organization_id = '${other}' order by position`,
    );
    expect(rows).toEqual([
      {
        transaction_id: "odd 0 \u2028",
        code: 'a "code" \\ \n é😀',
        timestamp: "-62135596800000000",
        external_subscription_id: "it's",
        properties: { n: "123456789012345678901234567890.5" },
        position: "1",
        shard: 1,
      },
      {
        transaction_id: "odd 1 \u2028",
        code: "later",
        timestamp: "253402300799999999",
        external_subscription_id: "it's",
        properties: { nested: '{"a":[null,"x"],"b":1}', t: "true" },
        position: "2",
        shard: 1,
      },
      {
        transaction_id: "odd 2 \u2028",
        code: "before",
        timestamp: "-1",
        external_subscription_id: "it's",
        properties: { control: "\u0001\t" },
        position: "3",
        shard: 1,
      },
    ]);
  });

  it("reports that it is behind when its time is over, and without a snapshot returns its progress", async () => {
    const before = await relay.catchUp(one, null, soon());
    await put(one, "sub", events(3), 0);
    await expect(relay.catchUp(one, [9999n], AbortSignal.abort())).rejects.toThrow(UsageBehind);
    expect(await relay.catchUp(one, null, AbortSignal.abort())).toEqual(before);
    expect(await relay.catchUp(one, null, soon())).not.toEqual(before);
  });
});

describe("events that were dropped from Postgres with their month", () => {
  it("are skipped, and those after them are copied", async () => {
    const { id } = await makeTestOrganization(platform, "Old");
    await put(id, "sub", events(10), 0);
    await put(id, "sub", events(4), 1);
    const gone = "delete from events where organization_id = $1 and (shard = 0 and position <> 5 or shard = 1)";
    await runOn(platform.config.DATABASE_URL, gone, [id]);
    expect(await relay.catchUp(id, null, soon())).toEqual([10n, 4n]);
    expect(await inClickhouse(id)).toMatchObject({ count: "1" });
  });
});

describe("workers", () => {
  it("copy the waiting events of every organization, and then find nothing to do", async () => {
    const third = organizations[2]?.id ?? "";
    const many = events(700);
    await put(third, "sub", many, 3);
    while (await relay.step());
    expect(await inClickhouse(third)).toEqual({ count: "700", digest: digestOf(many) });
    expect(await relay.step()).toBe(false);
    const rows = await runOn(platform.config.DATABASE_URL, "select organization_id from relay_ranges");
    expect(rows).toEqual([]);
  });
});
