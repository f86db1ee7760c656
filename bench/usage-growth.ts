/** How the time of current usage grows with the events of a period: with rollups, from all events in ClickHouse, and in Postgres. */
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { currency } from "@tallystick/core/money";
import { rateBuckets } from "@tallystick/core/rating";
import { composePlatform, type Platform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import {
  type Cut,
  createClickhouseEventStore,
  createPostgresEventStore,
  createRollups,
  type DeriveDeps,
  deriveNext,
  type EventStore,
  hasList,
  readingsOf,
  type UsageScope,
} from "../packages/server/src/modules/usage/index.ts";
import { type Clickhouse, createClickhouse } from "../packages/server/src/platform/clickhouse/clickhouse.ts";
import { migrateClickhouse } from "../packages/server/src/platform/clickhouse/migrate.ts";
import { ALONE } from "../packages/server/src/platform/postgres/batch.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { spawnClickhouseEngine } from "../packages/server/src/testing/spawn-clickhouse-engine.ts";
import { fillClickhouse, fillPostgres, SUBSCRIPTION, sizeOf } from "./usage-growth/fill.ts";
import { KINDS, type Kind } from "./usage-growth/kinds.ts";
import { WINDOW } from "./usage-window.ts";

const OPTIONS = {
  sizes: { type: "string", default: "1000000,10000000,100000000" },
  "postgres-max": { type: "string", default: "10000000" },
  "raw-max": { type: "string", default: "10000000" },
  // For kinds that load each value into this process: ten million do not fit into Node's default memory.
  "list-max": { type: "string", default: "1000000" },
  rounds: { type: "string", default: "5" },
  kinds: { type: "string", default: "all" },
} as const;

/** The goal: with rollups, the largest size takes at most this many times as long as the smallest. */
const GROWTH_MAX = 2;
const BYTES_PER_EVENT = 150;
const TIMEOUT_MS = 3_600_000;
const EUR = currency("EUR");

type Options = {
  sizes: readonly number[];
  postgresMax: number;
  rawMax: number;
  listMax: number;
  rounds: number;
  kinds: string;
};
type Bench = Options & { platform: Platform; clickhouse: Clickhouse; organizationId: string };

export async function measureUsageGrowth() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  const options: Options = {
    sizes: values.sizes.split(",").map(Number),
    postgresMax: Number(values["postgres-max"]),
    rawMax: Number(values["raw-max"]),
    listMax: Number(values["list-max"]),
    rounds: Number(values.rounds),
    kinds: values.kinds,
  };
  await checkDisk(options);
  const data = await mkdtemp(join(tmpdir(), "tallystick-growth-"));
  const cluster = await startEmbeddedPostgres({ settings: ["shared_buffers=1GB", "max_wal_size=8GB"] });
  const engine = await spawnClickhouseEngine({ data });
  try {
    await migrate(cluster.url);
    const config = { url: `${engine.url}/growth`, cluster: null };
    await migrateClickhouse(config);
    return await withPlatform(cluster.url, async (platform) => {
      const { id } = await makeOrganization(platform, { name: "Bench", isSandbox: true, keyName: "bench" });
      const clickhouse = createClickhouse({ ...config, timeoutMs: TIMEOUT_MS });
      try {
        return await measureAll({ ...options, platform, clickhouse, organizationId: id }, cluster.url);
      } finally {
        await clickhouse.close();
      }
    });
  } finally {
    await engine.stop();
    await cluster.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function checkDisk({ sizes, postgresMax }: Options): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  const rows = sizes.reduce((sum, size) => sum + size * (size <= postgresMax ? 6 : 1), 0);
  if (bavail * bsize < 2 * rows * BYTES_PER_EVENT)
    throw new Error(`the disk has ${bavail * bsize} bytes left: too few for these sizes`);
}

async function withPlatform<T>(url: string, work: (platform: Platform) => Promise<T>): Promise<T> {
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}

async function measureAll(bench: Bench, postgresUrl: string) {
  const bySize: Record<string, Awaited<ReturnType<typeof measureSize>>> = {};
  for (const size of bench.sizes) {
    bySize[size] = await measureSize(bench, postgresUrl, size);
    console.error(JSON.stringify(bySize[size]));
  }
  return {
    rounds: bench.rounds,
    bySize,
    growth: growthOf(bench.sizes, bySize),
    loadAfter: loadavg().map((load) => Number(load.toFixed(1))),
  };
}

async function measureSize(bench: Bench, postgresUrl: string, size: number) {
  const { platform, clickhouse, organizationId, postgresMax, rawMax, listMax } = bench;
  const postgres = createPostgresEventStore(platform.db);
  const relay = {
    catchUp: async (_: string, cut: Cut | null) => cut ?? cutOf(size),
    openedUpTo: async () => cutOf(size),
  };
  const rollups = createRollups({ ...platform, clickhouse });
  const fillSeconds = await secondsOf(() => fillClickhouse(clickhouse, { organizationId, size }));
  const kinds = KINDS(size)
    .filter(({ name }) => bench.kinds === "all" || bench.kinds.split(",").includes(name))
    .filter(({ charge }) => size <= listMax || !hasList(charge));
  const raw = createClickhouseEventStore({ clickhouse, postgres, relay });
  const rawTimes = await measureKinds(bench, raw, size > rawMax ? [] : kinds);
  const requested = kinds.filter(({ isAddedUp }) => isAddedUp);
  // As in production: a read without rollups leaves a request, and rollups derived for others may cover the next.
  const deriveSeconds = await secondsOf(async () => {
    for (const { charge } of requested) {
      const { rest } = await rollups.sumBuckets(
        { ...scopeOf(size), organizationId },
        readingsOf([charge], scopeOf(size)),
      );
      for (const reading of rest) await rollups.noteRead({ ...scopeOf(size), organizationId }, reading, BigInt(size));
      await deriveAll({ ...platform, clickhouse, relay });
    }
  });
  const byCells = createClickhouseEventStore({ clickhouse, postgres, relay, rollups });
  const cellTimes = await measureKinds(bench, byCells, requested);
  const postgresTimes = size > postgresMax ? {} : await measurePostgres(bench, postgresUrl, { postgres, kinds, size });
  return {
    fillSeconds,
    deriveSeconds,
    ...(await sizeOf(clickhouse, { organizationId, size })),
    cells: cellTimes,
    raw: rawTimes,
    postgres: postgresTimes,
  };
}

async function measurePostgres(
  bench: Bench,
  url: string,
  { postgres, kinds, size }: { postgres: EventStore; kinds: readonly Kind[]; size: number },
) {
  await fillPostgres(url, { organizationId: bench.organizationId, size });
  return measureKinds(bench, postgres, kinds);
}

const cutOf = (size: number): Cut => [0, 1, 2, 3].map(() => BigInt(Math.ceil(size / 4)));

const scopeOf = (size: number): UsageScope & { cut: Cut } => ({
  externalSubscriptionId: SUBSCRIPTION,
  window: WINDOW,
  historyFrom: WINDOW.from,
  cut: cutOf(size),
});

async function deriveAll(deps: DeriveDeps): Promise<void> {
  while (await deriveNext(deps));
}

type Times = Record<string, { queryMs: number; ratingMs: number; units: string }>;

/** The first round is a warm-up. The cost of usage is computed separately. */
async function measureKinds(bench: Bench, store: EventStore, kinds: readonly Kind[]): Promise<Times> {
  const times: Times = {};
  for (const { name, charge } of kinds) {
    const queries: number[] = [];
    const ratings: number[] = [];
    let units = "";
    for (let round = 0; round <= bench.rounds; round++) {
      const begun = performance.now();
      const scope = { ...scopeOf(bench.sizes.at(-1) ?? 0), cut: null };
      const [measured] = await store.readUsage(ALONE, bench.organizationId, scope, [charge]);
      const read = performance.now();
      const buckets = measured?.buckets ?? [];
      rateBuckets(charge, buckets, { window: WINDOW, currency: EUR });
      queries.push(read - begun);
      ratings.push(performance.now() - read);
      units = buckets.map(({ quantity }) => quantity.units.toFixed()).join(" ");
    }
    times[name] = { queryMs: median(queries.slice(1)), ratingMs: median(ratings.slice(1)), units };
  }
  return times;
}

type BySize = Record<string, { cells: Times; raw: Times; postgres: Times }>;

/** From the smallest to the largest measured size: the growth of events and of time. */
function growthOf(sizes: readonly number[], bySize: BySize) {
  const sources = ["cells", "raw", "postgres"] as const;
  return Object.fromEntries(
    sources.map((source) => {
      const names = Object.keys(bySize[sizes[0] ?? 0]?.[source] ?? {});
      return [source, Object.fromEntries(names.map((name) => [name, growthOfOne(sizes, bySize, { source, name })]))];
    }),
  );
}

function growthOfOne(
  sizes: readonly number[],
  bySize: BySize,
  { source, name }: { source: "cells" | "raw" | "postgres"; name: string },
) {
  const measured = sizes.filter((size) => bySize[size]?.[source][name] !== undefined);
  const [smallest = 0] = measured;
  const largest = measured.at(-1) ?? smallest;
  const msAt = (size: number): number => bySize[size]?.[source][name]?.queryMs ?? 0;
  const times = Number((msAt(largest) / msAt(smallest)).toFixed(2));
  return {
    events: largest / smallest,
    times,
    msPerMillionEvents: Math.round((msAt(largest) / largest) * 1_000_000),
    ...(source === "cells" ? { isWithinMax: times <= GROWTH_MAX } : {}),
  };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return Math.round((performance.now() - begun) / 100) / 10;
}

const median = (list: readonly number[]): number =>
  Math.round((list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)] ?? 0) * 10) / 10;
