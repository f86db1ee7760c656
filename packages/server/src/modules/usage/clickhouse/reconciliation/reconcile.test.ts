import { describe, expect, it } from "vitest";
import { createPutEvents, type PutEvent } from "../../../../testing/put-events.ts";
import { startTallystick } from "../../../../testing/start-tallystick.ts";
import { rebuild, reconcile } from "./index.ts";

const { platform, organizations } = await startTallystick({ clickhouse: true });
const clickhouse = platform.clickhouse ?? expect.fail("there is no ClickHouse");
const relay = platform.relay ?? expect.fail("there is no relay");
const put = createPutEvents(platform.db);
const [{ id: one } = { id: "" }, { id: other } = { id: "" }] = organizations;
const compare = () => reconcile({ ...platform, clickhouse });

const event = (number: number, at: string): PutEvent => ({
  transactionId: `t${number}`,
  code: number % 2 === 0 ? "calls" : "giga bytes",
  at: Temporal.Instant.from(at),
  properties: [["amount", "1"]],
  digest: 2n ** 128n - BigInt(number + 1),
});

const TIMES = [
  "0001-01-01T00:00:00Z",
  "1969-12-31T23:59:59.999999Z",
  "2026-01-31T23:59:59Z",
  "2026-02-01T00:00:00Z",
  "9999-12-31T23:59:59.999999Z",
];
await put(
  one,
  "sub",
  TIMES.map((at, number) => event(number, at)),
  0,
);
await put(
  one,
  "sub",
  TIMES.map((at, number) => event(10 + number, at)),
  3,
);
await put(other, "sub", [event(0, "2026-01-31T12:00:00Z")], 1);
while (await relay.step());

describe("stores that agree", () => {
  it("have no difference, over all times, and events not copied yet do not count as one", async () => {
    await put(other, "sub", [event(1, "2026-01-31T12:00:00Z")], 2);
    expect(await compare()).toEqual({ organizations: 2, events: 11n, differences: [] });
    while (await relay.step());
    expect(await compare()).toEqual({ organizations: 2, events: 12n, differences: [] });
  });
});

describe("stores that differ", () => {
  const insert = (rows: object[]) =>
    clickhouse.insert({ table: "events", rows, token: `plant ${JSON.stringify(rows)}` });
  const copyOf = async (where: string) =>
    clickhouse.query<Record<string, unknown>>(`select * from events where ${where}`);

  it("every difference is reported: missing, duplicate, at another time, or of an unknown organization", async () => {
    await clickhouse.command(`delete from events where organization_id = '${other}' and shard = 1`);
    const [twice] = await copyOf(`organization_id = '${one}' and shard = 3 and timestamp = -1`);
    await insert([{ ...twice }]);
    const [moved] = await copyOf(`organization_id = '${one}' and shard = 0 and position = 4`);
    await clickhouse.command(`delete from events where organization_id = '${one}' and shard = 0 and position = 4`);
    await insert([{ ...moved, timestamp: String(BigInt(String(moved?.timestamp)) - 1n) }]);
    const stranger = "018f0000-0000-7000-8000-000000000001";
    await insert([{ ...moved, organization_id: stranger }]);
    const { differences } = await compare();
    const said = differences.map(({ organizationId, code, hour, postgres, clickhouse: copy }) =>
      [organizationId, code, hour && String(hour), postgres.count, copy.count].join(" "),
    );
    expect(said.sort()).toEqual(
      [
        `${other} calls 2026-01-31T12:00:00Z 1 0`,
        `${one} giga bytes 1969-12-31T23:00:00Z 2 3`,
        `${one} giga bytes 2026-01-31T23:00:00Z 0 1`,
        `${one} giga bytes 2026-02-01T00:00:00Z 2 1`,
        `${stranger}   0 1`,
      ].sort(),
    );
  });

  it("agree again after a rebuild, which reports its progress", async () => {
    const said: string[] = [];
    const options = {
      say: (line: string) => said.push(line),
      signal: AbortSignal.timeout(120_000),
      readSeconds: 0,
      settleSeconds: 0,
    };
    expect(await rebuild({ ...platform, clickhouse, relay }, options)).toEqual({ events: 12n });
    expect(said.at(-1)).toMatch(/^12 of 12 events, \d+\/s$/);
    expect(await compare()).toEqual({ organizations: 2, events: 12n, differences: [] });
  });

  it("a rebuild that was stopped blocks readers until the same command finishes it", async () => {
    const stopped = rebuild(
      { ...platform, clickhouse, relay },
      { say: () => undefined, signal: AbortSignal.timeout(10), readSeconds: 60 },
    );
    await expect(stopped).rejects.toThrow();
    await expect(relay.catchUp(one, null, AbortSignal.timeout(500))).rejects.toMatchObject({ reason: "rebuilding" });
    expect(await relay.step()).toBe(false);
    const options = { say: () => undefined, signal: AbortSignal.timeout(120_000), readSeconds: 0, settleSeconds: 0 };
    await rebuild({ ...platform, clickhouse, relay }, options);
    expect(await relay.catchUp(one, null, AbortSignal.timeout(5000))).toEqual([5n, 0n, 0n, 5n]);
    expect((await compare()).differences).toEqual([]);
  });
});
