import { beforeEach, describe, expect, it } from "vitest";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { ClickhouseUnreachable } from "../../../../platform/clickhouse/errors.ts";
import { runOn } from "../../../../platform/postgres/temporary-database.ts";
import { createPutEvents, type PutEvent } from "../../../../testing/put-events.ts";
import { makeTestOrganization, startTallystick } from "../../../../testing/start-tallystick.ts";
import { rebuild, reconcile, relayStatus } from "../reconciliation/index.ts";
import { createRelay, type Deriving, openedUpTo, UsageBehind } from "./index.ts";

const service = await startTallystick({ clickhouse: true, organizations: 1 });
const { platform } = service;
const { dispatcherDb, log, metrics, config } = platform;
const clickhouse = platform.clickhouse ?? expect.fail("there is no ClickHouse");
const put = createPutEvents(platform.db);
const soon = () => AbortSignal.timeout(120_000);
const relayOver = (faulty: Clickhouse, deriving?: Deriving) =>
  createRelay({ dispatcherDb, log, metrics, clickhouse: faulty, ...(deriving ? { deriving } : {}) });
const relay = relayOver(clickhouse);

let organizationId = "";
beforeEach(async () => {
  ({ id: organizationId } = await makeTestOrganization(platform, "Company"));
});

let made = 0;
const events = (count: number, properties: PutEvent["properties"] = [["amount", "1.50"]]): PutEvent[] =>
  Array.from({ length: count }, () => ({
    transactionId: `t${made++}`,
    code: "calls",
    at: Temporal.Instant.from("2026-01-31T09:00:00.123456Z"),
    properties,
    digest: 2n ** 127n + BigInt(made),
  }));

const countCopied = async (): Promise<number> => {
  const [row] = await clickhouse.query<{ count: string }>(
    `select count() as count from events where organization_id = '${organizationId}'`,
  );
  return Number(row?.count);
};
const differences = async () => (await reconcile({ ...platform, clickhouse })).differences;
const laneOf = async () => {
  const [lane] = await runOn<{ stage: number; sends: number; is_open: boolean }>(
    config.DATABASE_URL,
    "select stage, sends, is_open from relay_lanes where lane = (select lane from relay_cursors where organization_id = $1)",
    [organizationId],
  );
  return lane;
};

const leaseSeconds = async (): Promise<number> => {
  const [lane] = await runOn<{ seconds: number }>(
    config.DATABASE_URL,
    `select extract(epoch from leased_until - clock_timestamp())::float8 as seconds from relay_lanes
     where lane = (select lane from relay_cursors where organization_id = $1)`,
    [organizationId],
  );
  return lane?.seconds ?? 0;
};

/** The rows are inserted, but the sender gets no response. */
const losingAnswers = (): Clickhouse => ({
  ...clickhouse,
  insert: async (...given) => {
    await clickhouse.insert(...given);
    throw new ClickhouseUnreachable("the answer was lost");
  },
});
const sendUnheard = (deriving?: Deriving) =>
  expect(relayOver(losingAnswers(), deriving).catchUp(organizationId, null, soon())).rejects.toThrow(UsageBehind);
const age = (seconds: number) =>
  runOn(
    config.DATABASE_URL,
    `update relay_lanes set first_sent_at = first_sent_at - interval '${seconds} s', last_sent_at = last_sent_at - interval '${seconds} s'`,
  );

describe("a batch that is sent again", () => {
  it("is inserted once, thanks to its token", async () => {
    await put(organizationId, "sub", events(50), 0);
    await sendUnheard();
    await sendUnheard();
    expect(await laneOf()).toMatchObject({ is_open: true, sends: 2 });
    await expect(relay.catchUp(organizationId, null, soon())).resolves.toEqual([50n]);
    expect(await countCopied()).toBe(50);
    expect(await differences()).toEqual([]);
  });

  it("is detected as a duplicate if the token does not prevent it, and the queue stops", async () => {
    const forgetful: Clickhouse = {
      ...clickhouse,
      insert: (batch, options) => clickhouse.insert({ ...batch, token: `none ${made++}` }, options),
    };
    await put(organizationId, "sub", events(5), 0);
    await sendUnheard();
    await expect(relayOver(forgetful).catchUp(organizationId, null, soon())).rejects.toThrow("duplicate");
    await expect(relay.catchUp(organizationId, null, soon())).rejects.toThrow("npm run usage -- rebuild");
    await rebuild(
      { dispatcherDb, clickhouse, relay },
      { say: () => undefined, signal: soon(), readSeconds: 0, settleSeconds: 0 },
    );
    expect(await countCopied()).toBe(5);
    expect(await differences()).toEqual([]);
  });

  it("restores rows that an engine lost when it was killed after it stored the token", async () => {
    await put(organizationId, "sub", events(20), 0);
    await put(organizationId, "sub", events(4), 1);
    await sendUnheard();
    await clickhouse.command(
      `delete from events where organization_id = '${organizationId}' and (shard = 0 and position > 5 and position < 9 or shard = 1)`,
    );
    expect(await countCopied()).toBe(17);
    expect(await relay.catchUp(organizationId, null, soon())).toEqual([20n, 4n]);
    expect(await countCopied()).toBe(24);
    expect(await differences()).toEqual([]);
  });

  it("is compared before it is sent, if its token may be forgotten: only missing rows are sent", async () => {
    await put(organizationId, "sub", events(20), 0);
    await sendUnheard();
    await clickhouse.command(`delete from events where organization_id = '${organizationId}' and position = 7`);
    await age(3600);
    const tokens: string[] = [];
    const sizes: number[] = [];
    const noting: Clickhouse = {
      ...clickhouse,
      insert: async (batch, options) => {
        tokens.push(batch.token.slice(-2));
        sizes.push(String(batch.rows).split("\n").length);
        await clickhouse.insert(batch, options);
      },
    };
    expect(await relayOver(noting).catchUp(organizationId, null, soon())).toEqual([20n]);
    expect([tokens, sizes]).toEqual([[":1"], [1]]);
    expect(await countCopied()).toBe(20);
    expect(await differences()).toEqual([]);
  });

  it("is compared only after every send must have ended", async () => {
    await put(organizationId, "sub", events(3), 0);
    await sendUnheard();
    await runOn(config.DATABASE_URL, "update relay_lanes set first_sent_at = first_sent_at - interval '1 hour'");
    await expect(relay.catchUp(organizationId, [3n], AbortSignal.timeout(300))).rejects.toThrow(UsageBehind);
    await runOn(config.DATABASE_URL, "update relay_lanes set leased_until = '-infinity'");
    await age(60);
    expect(await relay.catchUp(organizationId, null, soon())).toEqual([3n]);
    expect(await countCopied()).toBe(3);
  });

  it("has the same rows even if the derivations changed meanwhile, and is in doubt if the engine may have been killed", async () => {
    const id = "018f0000-0000-7000-8000-00000000000a";
    const restarted: string[] = [];
    const deriving = (field: string): Deriving => ({
      derivationsOf: async (_, ids) =>
        ids.includes(organizationId) ? [{ organizationId, id, code: "calls", field, names: ["region"] }] : [],
      restartDerivations: async (_, ids) => void restarted.push(...ids),
    });
    await put(organizationId, "sub", events(2), 0);
    const bodies: string[] = [];
    const noting: Clickhouse = {
      ...losingAnswers(),
      insert: async (batch, options) => {
        bodies.push(String(batch.rows).replace(/"send_before":"[^"]*",/, ""));
        await losingAnswers().insert(batch, options);
      },
    };
    for (const field of ["amount", "other"])
      await expect(relayOver(noting, deriving(field)).catchUp(organizationId, null, soon())).rejects.toThrow(
        UsageBehind,
      );
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[0]).toContain(`"derivations":[{"id": "${id}", "field": "amount", "names": ["region"]}]`);
    await age(3600);
    await relayOver(clickhouse, deriving("other")).catchUp(organizationId, null, soon());
    expect(restarted).toEqual([organizationId]);
  });
});

describe("a sender that was frozen", () => {
  it("cannot insert after its time, whatever happened to its token", async () => {
    await put(organizationId, "sub", events(3), 0);
    let thaw: () => Promise<void> = async () => undefined;
    const frozen: Clickhouse = {
      ...clickhouse,
      insert: async ({ rows, ...batch }, options) => {
        const late = String(rows).replace(/"send_before":"[^"]*"/, '"send_before":"2026-01-01 00:00:00.000"');
        thaw = () => clickhouse.insert({ ...batch, rows: late, token: "forgotten" }, options);
        throw new ClickhouseUnreachable("frozen");
      },
    };
    await expect(relayOver(frozen).catchUp(organizationId, null, soon())).rejects.toThrow(UsageBehind);
    await relay.catchUp(organizationId, null, soon());
    await expect(thaw()).rejects.toThrow("sent too late");
    expect(await countCopied()).toBe(3);
  });

  it("does not close a batch that another sender took over", async () => {
    await put(organizationId, "sub", events(3), 0);
    const takenOver: Clickhouse = {
      ...clickhouse,
      insert: async (...given) => {
        await clickhouse.insert(...given);
        await runOn(config.DATABASE_URL, "update relay_lanes set claim = claim + 1, leased_until = '-infinity'");
      },
    };
    await expect(relayOver(takenOver).catchUp(organizationId, [3n], AbortSignal.timeout(200))).rejects.toThrow(
      UsageBehind,
    );
    expect(await relay.catchUp(organizationId, [3n], soon())).toEqual([3n]);
    expect(await countCopied()).toBe(3);
  });

  it("gets a longer lease with each new sender, so that a slow batch is closed at last", async () => {
    await put(organizationId, "sub", events(3), 0);
    const leases: number[] = [];
    const enough = new AbortController();
    const slow: Clickhouse = {
      ...clickhouse,
      insert: async (...given) => {
        leases.push(await leaseSeconds());
        await clickhouse.insert(...given);
        await runOn(config.DATABASE_URL, "update relay_lanes set claim = claim + 1, leased_until = '-infinity'");
        if (leases.length === 6) enough.abort();
      },
    };
    await expect(relayOver(slow).catchUp(organizationId, [3n], enough.signal)).rejects.toThrow(UsageBehind);
    // Part of each lease has passed when it is read.
    expect(leases.map((seconds) => Math.ceil(seconds / 4))).toEqual([1, 2, 3, 4, 5, 5]);
    expect(await relay.catchUp(organizationId, [3n], soon())).toEqual([3n]);
  });
});

describe("many at once", () => {
  it("six readers that need the same events copy each once", { timeout: 300_000 }, async () => {
    const relays = Array.from({ length: 6 }, () => relayOver(clickhouse));
    for (let round = 1; round <= 3; round++) {
      await put(organizationId, "sub", events(7), round % 3);
      const reached = await Promise.all(relays.map((each) => each.catchUp(organizationId, null, soon())));
      expect(new Set(reached.map(String)).size).toBe(1);
      expect(await countCopied()).toBe(7 * round);
    }
  });

  it("events of 60 KB each go in batches that stay small", { timeout: 300_000 }, async () => {
    const large = events(300, [["text", JSON.stringify("x".repeat(60_000))]]);
    for (let from = 0; from < large.length; from += 100)
      await put(organizationId, "sub", large.slice(from, from + 100), 0);
    const sizes: number[] = [];
    const noting: Clickhouse = {
      ...clickhouse,
      insert: async (batch, options) => {
        sizes.push(batch.rows.length);
        await clickhouse.insert(batch, options);
      },
    };
    expect(await relayOver(noting).catchUp(organizationId, null, AbortSignal.timeout(120_000))).toEqual([300n]);
    expect(Math.max(...sizes)).toBeLessThan(20_000_000);
    expect(sizes.length).toBeGreaterThan(1);
    expect(await countCopied()).toBe(300);
  });
});

describe("when ClickHouse is unavailable", () => {
  it("reports it once, sends nothing, and continues when ClickHouse is back", async () => {
    const said: unknown[] = [];
    const away: Clickhouse = {
      ...clickhouse,
      query: async (...given) => {
        if (isAway) throw new ClickhouseUnreachable("no answer");
        return clickhouse.query(...given);
      },
    };
    let isAway = true;
    const words = { error: (_: unknown, text: string) => said.push(text), info: (text: string) => said.push(text) };
    const speaking = createRelay({ dispatcherDb, metrics, clickhouse: away, log: words as never });
    await put(organizationId, "sub", events(3), 0);
    expect([await speaking.step(), await speaking.step()]).toEqual([false, false]);
    await expect(speaking.catchUp(organizationId, null, soon())).rejects.toMatchObject({ reason: "unreachable" });
    isAway = false;
    await speaking.catchUp(organizationId, null, soon());
    expect(said).toEqual([
      expect.stringContaining("invoices wait, ingestion continues"),
      "ClickHouse accepts events again",
    ]);
    expect(await countCopied()).toBe(3);
  });
});

describe("a ClickHouse that is not the one that events were copied into", () => {
  it("gets nothing and is not read, because it lacks the copied events", async () => {
    await put(organizationId, "sub", events(3), 0);
    await relay.catchUp(organizationId, null, soon());
    const another: Clickhouse = {
      ...clickhouse,
      query: <Row>(statement: string, ...given: unknown[]) =>
        clickhouse.query<Row>(statement.replace("toString(uuid)", "'another'"), ...(given as [])),
    };
    await expect(relayOver(another).catchUp(organizationId, null, soon())).rejects.toMatchObject({
      reason: "replaced",
    });
    await put(organizationId, "sub", events(3), 0);
    expect(await relayOver(another).step()).toBe(false);
    expect(await countCopied()).toBe(3);
    await runOn(config.DATABASE_URL, "update relay_lanes set leased_until = '-infinity'");
    expect(await relay.catchUp(organizationId, null, soon())).toEqual([6n]);
  });
});

describe("for derivations", () => {
  it("returns the positions up to which batches were opened; one of them may be in progress", async () => {
    const opened = () => dispatcherDb.transaction().execute((tx) => openedUpTo(tx, organizationId));
    await put(organizationId, "sub", events(3), 1);
    expect(await opened()).toEqual([]);
    await sendUnheard();
    await put(organizationId, "sub", events(2), 1);
    expect(await opened()).toEqual([0n, 3n]);
    await relay.catchUp(organizationId, null, soon());
    expect(await opened()).toEqual([0n, 5n]);
  });
});

describe("the status", () => {
  it("shows how far behind each queue is, and its errors", async () => {
    await put(organizationId, "sub", events(9), 0);
    await sendUnheard();
    const behind = await relayStatus(platform);
    expect(behind.accepted - behind.relayed).toBeGreaterThanOrEqual(9n);
    expect(behind.lanes.join("\n")).toMatch(
      /behind: 9 {2}batch \d+ open, stage 0, sent 1 times {2}failed 1 times: .*the answer was lost/,
    );
    await relay.catchUp(organizationId, null, soon());
    expect((await relayStatus(platform)).lanes.join("\n")).not.toContain("open");
  });
});
