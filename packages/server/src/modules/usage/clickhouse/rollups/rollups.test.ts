import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Aggregation, Charge } from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";
import type { UsageWindow } from "@tallystick/core/usage";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALONE } from "../../../../platform/postgres/batch.ts";
import { createPutEvents } from "../../../../testing/put-events.ts";
import { startClickhouse } from "../../../../testing/start-clickhouse.ts";
import { startTallystick } from "../../../../testing/start-tallystick.ts";
import { findDifferences, type StoreUnderTest } from "../../event-store.contract.ts";
import type { UsageScope } from "../../event-store.ts";
import { readingsOf } from "../../metric-reading.ts";
import { createPostgresEventStore } from "../../postgres-event-store.ts";
import { usageCase } from "../../random-usage.contract.ts";
import { createRelay, openedUpTo } from "../relay/index.ts";
import { createClickhouseEventStore } from "../store/index.ts";
import {
  createRollups,
  type Derivation,
  type DeriveDeps,
  derivationsOf,
  deriveNext,
  findCellDifferences,
  restartDerivations,
} from "./index.ts";
import { DERIVED, FIGURES } from "./store.ts";

const { platform, organizations } = await startTallystick({ organizations: 3 });
const { clickhouse } = await startClickhouse();
const [random = { id: "" }, plain = { id: "" }, crowded = { id: "" }] = organizations;
const putEvents = createPutEvents(platform.db);
const postgres = createPostgresEventStore(platform.db);

const deriving = { derivationsOf, restartDerivations: restartDerivations(platform.clock) };
const relay = { ...createRelay({ ...platform, clickhouse, deriving }), openedUpTo };
const work: DeriveDeps = { ...platform, clickhouse, relay, eventsPerCellMin: 0n };
const rollups = createRollups({ ...platform, clickhouse, worthFrom: 1n });
const byCells = createClickhouseEventStore({ clickhouse, postgres, relay, rollups });

async function deriveAll(deps: DeriveDeps = work): Promise<void> {
  while (await deriveNext(deps));
}

const laterBy = (duration: Temporal.DurationLike) => ({ now: () => platform.clock.now().add(duration) });

const restart = (organizationId: string): Promise<void> =>
  platform.dispatcherDb.transaction().execute((tx) => restartDerivations(platform.clock)(tx, [organizationId]));

const derivations = (organizationId: string): Promise<Derivation[]> =>
  platform.dispatcherDb.transaction().execute((tx) => derivationsOf(tx, [organizationId]));

async function countReadings(): Promise<{ cells: number; events: number }> {
  const { values } = await platform.metrics.usageReadings.get();
  const of = (source: string) => values.find(({ labels }) => labels.source === source)?.value ?? 0;
  return { cells: of("cells"), events: of("events") };
}

/** Counts whether a query was answered from cells or from events. */
async function sourcesOf(ask: () => Promise<unknown>): Promise<{ cells: number; events: number }> {
  const before = await countReadings();
  await ask();
  const after = await countReadings();
  return { cells: after.cells - before.cells, events: after.events - before.events };
}

const DAY = Temporal.PlainDate.from("2026-03-01");
const WINDOW: UsageWindow = {
  from: Temporal.Instant.from("2026-03-01T00:00:00Z"),
  to: Temporal.Instant.from("2026-04-01T00:00:00Z"),
  timeZone: "UTC",
  firstDay: DAY,
  lastDay: DAY.add({ days: 30 }),
  periodDays: 31,
};

const scopeOf = (externalSubscriptionId: string): UsageScope => ({
  externalSubscriptionId,
  window: WINDOW,
  historyFrom: WINDOW.from,
  cut: null,
});

const chargeBy = (groupedBy: string[]): Charge => ({
  id: "charge",
  metric: { code: "calls", aggregation: { type: "sum", field: "v", isRecurring: false }, filters: [] },
  price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy },
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
});

let transactions = 0;
const eventAt = (at: string, properties: Record<string, string>) => ({
  transactionId: `e${transactions++}`,
  code: "calls",
  at: Temporal.Instant.from(at),
  properties: Object.entries(properties).map(([name, text]) => [name, JSON.stringify(text)] as const),
  digest: BigInt(transactions),
});

const unitsOf = async (organizationId: string, charge: Charge): Promise<string[]> => {
  const [measured] = await byCells.readUsage(ALONE, organizationId, scopeOf("s"), [charge]);
  return (measured?.buckets ?? []).map(({ quantity }) => quantity.units.toFixed());
};

/** Requests cells by all names, which cover any random charge. */
async function requestForAll(organizationId: string): Promise<void> {
  const names = ["region", "tier", "k\"e'y", "user", "team", "toString", "unknown"];
  const fields = ["v", "constructor", "__proto__", "o'clock $1", "größe"];
  const aggregations: Aggregation[] = [
    { type: "count" },
    ...fields.map((field) => ({ type: "sum", field, isRecurring: false }) as const),
  ];
  for (const code of ["calls", "seats", "c'o\"de;--"]) {
    const charges = aggregations.map((aggregation) => ({
      ...chargeBy(names),
      metric: { code, aggregation, filters: [] },
    }));
    for (const reading of readingsOf(charges, scopeOf("")))
      await rollups.noteRead({ ...scopeOf(""), organizationId }, reading, 1n);
  }
}

const FROM_CELLS = 12;
const SETS_MAX = 100;
const seed = randomInt(1, 2 ** 30);

describe("usage from cells", () => {
  it(`is what core gives, for random sets of events until ${FROM_CELLS} questions found cells, with derivations that begin at any time (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    let puts = 0;
    await requestForAll(random.id);
    const target: StoreUnderTest = {
      store: byCells,
      organizationId: random.id,
      put: async (subscription, events, lane) => {
        // Now and then everything is derived again, starting within a set or between two.
        if (puts++ % 15 === 5) await restart(random.id);
        if (lane !== 0) await deriveAll();
        await putEvents(random.id, subscription, events, lane);
      },
    };
    for (const [index, usage] of fc.sample(usageCase, { seed, numRuns: SETS_MAX }).entries()) {
      expect(await findDifferences(target, `set ${seed} ${index}`, usage), `set ${index}`).toEqual([]);
      if ((await countReadings()).cells >= FROM_CELLS) return;
    }
    expect.fail(`${SETS_MAX} sets, and fewer than ${FROM_CELLS} queries were answered from cells: this proves nothing`);
  });

  it("equals the sums of the events, cell by cell, and every difference is reported", async () => {
    await relay.catchUp(random.id, null, AbortSignal.timeout(60_000));
    const all = await derivations(random.id);
    expect(all.length).toBeGreaterThan(0);
    for (const derivation of all) expect(await findCellDifferences(clickhouse, derivation)).toEqual([]);
    await putEvents(plain.id, "broken", [eventAt("2026-03-05T10:00:00Z", { v: "1" })], 0);
    await byCells.readUsage(ALONE, plain.id, scopeOf("broken"), [chargeBy(["broken"])]);
    await deriveAll();
    const [derivation] = await derivations(plain.id);
    if (!derivation) throw new Error("nothing was derived");
    await clickhouse.command(
      "alter table usage_cells delete where derivation_id = {id:UUID} settings mutations_sync = 1",
      {
        id: derivation.id,
      },
    );
    expect(await findCellDifferences(clickhouse, derivation)).toMatchObject([
      { external_subscription_id: "broken", events: "-1" },
    ]);
    await restart(plain.id);
  });
});

describe("a changed definition", () => {
  it("is read from events until they are derived again, and then from cells; and the numbers stay", async () => {
    const events = ["eu", "us", "eu"].map((region) =>
      eventAt("2026-03-05T10:00:00Z", { v: "2", region, team: region }),
    );
    await putEvents(plain.id, "s", events, 0);
    const byRegion = chargeBy(["region"]);
    expect(await sourcesOf(() => unitsOf(plain.id, byRegion))).toEqual({ cells: 0, events: 1 });
    await deriveAll();
    expect(await sourcesOf(() => unitsOf(plain.id, byRegion))).toEqual({ cells: 1, events: 0 });
    expect(await unitsOf(plain.id, byRegion)).toEqual(["4", "2"]);

    const byBoth = chargeBy(["region", "team"]);
    expect(await sourcesOf(() => unitsOf(plain.id, byBoth))).toEqual({ cells: 0, events: 1 });
    await putEvents(plain.id, "s", [eventAt("2026-03-06T10:00:00.000001Z", { v: "0.5", region: "us", team: "us" })], 2);
    expect(await unitsOf(plain.id, byBoth)).toEqual(["4", "2.5"]);
    await deriveAll();
    expect(await sourcesOf(() => unitsOf(plain.id, byBoth))).toEqual({ cells: 1, events: 0 });
    expect(await unitsOf(plain.id, byBoth)).toEqual(["4", "2.5"]);
  });
});

describe("deriving in the background", () => {
  it("starts again if the result of a statement is unknown: nothing is counted twice", async () => {
    await restart(plain.id);
    const now = platform.clock.now();
    const lost: DeriveDeps = {
      ...work,
      // The clock does not move, so that nothing is retried meanwhile.
      clock: { now: () => now },
      clickhouse: {
        ...clickhouse,
        command: async (...given) => {
          await clickhouse.command(...given);
          throw new Error("the answer was lost");
        },
      },
    };
    await deriveAll(lost);
    const before = await derivations(plain.id);
    expect(before.length).toBeGreaterThan(0);
    // The failure is noticed after a moment, and the derivation starts again some time later.
    await deriveAll({ ...work, clock: laterBy({ minutes: 2 }) });
    await deriveAll({ ...work, clock: laterBy({ minutes: 4 }) });
    const after = await derivations(plain.id);
    const namesOf = (list: Derivation[]): string[] => list.map(({ names }) => names.join(" ")).sort();
    expect(namesOf(after)).toEqual(namesOf(before));
    expect(after.filter(({ id }) => before.some((old) => old.id === id))).toEqual([]);
    const byRegion = chargeBy(["region"]);
    expect(await sourcesOf(() => unitsOf(plain.id, byRegion))).toEqual({ cells: 1, events: 0 });
    expect(await unitsOf(plain.id, byRegion)).toEqual(["4", "2.5"]);
  });

  it("is refused if nearly every event would have its own cell", async () => {
    const events = Array.from({ length: 8 }, (_, index) =>
      eventAt("2026-03-05T10:00:00Z", { v: "1", user: `user ${index}`, region: "eu" }),
    );
    await putEvents(crowded.id, "s", events, 0);
    const usual: DeriveDeps = { ...platform, clickhouse, relay };
    await unitsOf(crowded.id, chargeBy(["user"]));
    await unitsOf(crowded.id, chargeBy(["region"]));
    await deriveAll(usual);
    expect((await derivations(crowded.id)).map(({ names }) => names)).toEqual([["region"]]);
    expect(await sourcesOf(() => unitsOf(crowded.id, chargeBy(["user"])))).toEqual({ cells: 0, events: 1 });
  });

  it("uses the same expressions as the view that the relay fills", async () => {
    const migration = await readFile(
      join(import.meta.dirname, "../../../../platform/clickhouse/migrations/0003-quantity-limit/up.sql"),
      "utf8",
    );
    const words = (text: string): string => text.replace(/\s+/g, " ").trim();
    expect(words(migration)).toContain(words(DERIVED));
    expect(words(migration)).toContain(words(FIGURES));
  });
});
