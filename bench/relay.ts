/** How fast events are copied into ClickHouse, against a bare insert of the same rows; the effect on ingestion; the delay until visible. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { composeApi, composePlatform, type Platform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import { createRelay } from "../packages/server/src/modules/usage/index.ts";
import { type Clickhouse, createClickhouse } from "../packages/server/src/platform/clickhouse/clickhouse.ts";
import { migrateClickhouse } from "../packages/server/src/platform/clickhouse/migrate.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { runOn } from "../packages/server/src/platform/postgres/temporary-database.ts";
import { spawnClickhouseEngine } from "../packages/server/src/testing/spawn-clickhouse-engine.ts";
import type { Sending, Sent } from "./ingest/client-worker.ts";
import type { Serving } from "./ingest/server-worker.ts";
import { ALL_NEW } from "./ingest/workload.ts";
import type { Relaying } from "./relay/relay-worker.ts";
import { measureVisibility } from "./relay/visibility.ts";
import { answerOf, startProcess } from "./start-process.ts";

const SETTINGS = ["shared_buffers=1GB", "max_wal_size=4GB"];
const LANES = 4;
const ORGANIZATIONS = 8;
const BARE_AT_ONCE = [1, 2, 4];
const BATCH_SIZE = 100;

const OPTIONS = {
  events: { type: "string", default: "400000" },
  rounds: { type: "string", default: "3" },
  batches: { type: "string", default: "2000" },
  samples: { type: "string", default: "500" },
} as const;

type Organization = { id: string; key: string };
type Field = {
  databaseUrl: string;
  clickhouseUrl: string;
  platform: Platform;
  clickhouse: Clickhouse;
  organizations: readonly Organization[];
  size: Record<keyof typeof OPTIONS, number>;
};

export async function measureRelay() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  const size = {
    events: Number(values.events),
    rounds: Number(values.rounds),
    batches: Number(values.batches),
    samples: Number(values.samples),
  };
  const cluster = await startEmbeddedPostgres({ settings: SETTINGS });
  const engine = await spawnClickhouseEngine();
  const clickhouseUrl = new URL("/tallystick", engine.url).toString();
  const given = { DATABASE_URL: cluster.url, CLICKHOUSE_URL: clickhouseUrl, LOG_LEVEL: "error", ...NO_RATE_LIMITS };
  await migrate(cluster.url);
  await migrateClickhouse({ url: clickhouseUrl, cluster: null });
  const platform = composePlatform(readConfig(given));
  const clickhouse = createClickhouse({ url: clickhouseUrl, cluster: null });
  try {
    const organizations = await makeOrganizations(platform);
    const field: Field = { databaseUrl: cluster.url, clickhouseUrl, platform, clickhouse, organizations, size };
    const copying = await measureCopying(field);
    say("copying", copying);
    const ingesting = await measureIngesting(field);
    say("ingesting", ingesting);
    const visibility = await measureSeen(field);
    const [versions] = await clickhouse.query<{ version: string }>("select version() as version");
    const [postgres] = await runOn<{ server_version: string }>(cluster.url, "show server_version");
    return {
      engine: versions?.version,
      postgres: postgres?.server_version,
      ...{ settings: SETTINGS, size, copying, ingesting, visibility },
      load: loadavg().map(rounded),
    };
  } finally {
    await clickhouse.close();
    await platform.close();
    await engine.stop();
    await cluster.stop();
  }
}

const say = (part: string, figures: unknown) => process.stderr.write(`${part}: ${JSON.stringify(figures)}\n`);

async function makeOrganizations(platform: Platform): Promise<Organization[]> {
  const made: Organization[] = [];
  while (made.length < ORGANIZATIONS)
    made.push(await makeOrganization(platform, { name: "Bench", isSandbox: false, keyName: "bench" }));
  return made;
}

/** In turns, so that other load on the machine slows both. The bare insert sends the same texts as the relay. */
async function measureCopying(field: Field) {
  const relayed: number[] = [];
  const bare = new Map<number, number[]>(BARE_AT_ONCE.map((atOnce) => [atOnce, []]));
  const inserts: number[] = [];
  for (let round = 0; round < field.size.rounds; round++) {
    await fillEvents(field, round);
    const texts: string[] = [];
    relayed.push(field.size.events / (await relayAll(field, texts)));
    inserts.push(texts.length);
    for (const [atOnce, rates] of bare) rates.push(field.size.events / (await insertAll(field, texts, atOnce)));
  }
  const bareRates = [...bare].map(([atOnce, rates]) => ({ atOnce, rate: Math.round(median(rates)) }));
  const best = Math.max(...bareRates.map(({ rate }) => rate));
  const rate = Math.round(median(relayed));
  return { relayed: rate, bare: bareRates, inserts: median(inserts), ratio: rounded(rate / best) };
}

/** As ingestion writes them, with organizations in turn. */
async function fillEvents({ databaseUrl, organizations, size }: Field, round: number): Promise<void> {
  await runOn(
    databaseUrl,
    `with heads as (
       insert into event_heads as head (organization_id, shard, position)
       select organization, shard, $2::integer / cardinality($1::uuid[]) / 4 from unnest($1::uuid[]) as organization, generate_series(0, 3) as shard
       on conflict (organization_id, shard) do update set position = head.position + excluded.position
       returning organization_id, shard, position
     )
     insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id,
       transaction_id, code, properties)
     select organization_id, gen_random_uuid(), to_timestamp(1790000000 + n % 86400), now(),
       position - $2::integer / cardinality($1::uuid[]) / 4 + n, shard, n::numeric * 2::numeric ^ 90, 'sub_' || lpad((n % 1000)::text, 6, '0'),
       gen_random_uuid()::text, 'api_calls',
       jsonb_build_object('bytes', n % 100000 + 0.5, 'region', 'eu-west-1', 'endpoint', '/v1/items', 'tokens', n % 4096)
     from heads, generate_series(1, $2::integer / cardinality($1::uuid[]) / 4) as n`,
    [organizations.map(({ id }) => id), size.events],
  );
  await runOn(databaseUrl, "analyze events");
  await runOn(databaseUrl, "checkpoint");
  say("filled", { round });
}

async function relayAll({ platform, clickhouse }: Field, texts: string[]): Promise<number> {
  const relay = createRelay({
    ...platform,
    clickhouse: {
      ...clickhouse,
      insert: (batch, options) => {
        texts.push(String(batch.rows).replace(/"send_before":"[^"]*",/, ""));
        return clickhouse.insert(batch, options);
      },
    },
  });
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      while (await relay.step());
    }),
  );
  return (performance.now() - begun) / 1000;
}

async function insertAll({ clickhouse }: Field, texts: readonly string[], atOnce: number): Promise<number> {
  const queue = texts.entries();
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [, rows] of queue) await clickhouse.insert({ table: "relay_in", rows, token: crypto.randomUUID() });
    }),
  );
  return (performance.now() - begun) / 1000;
}

/** Over HTTP, in turns with and without a running relay. */
async function measureIngesting(field: Field) {
  const alone: number[] = [];
  const beside: number[] = [];
  const server = await startProcess<Serving>("ingest/server-worker.ts", {
    databaseUrl: field.databaseUrl,
    kind: "service",
  });
  try {
    for (let round = 0; round < field.size.rounds; round++) {
      alone.push(await ingest(field, server.answer));
      const relaying = { databaseUrl: field.databaseUrl, clickhouseUrl: field.clickhouseUrl };
      const relay = await startProcess<Relaying>("relay/relay-worker.ts", relaying);
      // Copies what was ingested without the relay first, so that it does not affect the measurement.
      await untilCopied(field);
      beside.push(await ingest(field, server.answer));
      await untilCopied(field);
      await relay.stop();
    }
  } finally {
    await server.stop();
  }
  const [without, together] = [Math.round(median(alone)), Math.round(median(beside))];
  return { without, together, ratio: rounded(together / without) };
}

async function ingest({ organizations, size }: Field, url: string): Promise<number> {
  const keys = organizations.map(({ key }) => key);
  const sending = { url, keys, connections: 32, requests: size.batches, batchSize: BATCH_SIZE, mix: ALL_NEW };
  const client = await startProcess<Sending>("ingest/client-worker.ts", sending);
  client.worker.send("begin");
  const { seconds } = await answerOf<Sent>(client.worker);
  await client.stop();
  return (size.batches * BATCH_SIZE) / seconds;
}

async function untilCopied({ databaseUrl }: Field): Promise<void> {
  const look = `select (select coalesce(sum(position), 0) from event_heads)
    = (select coalesce(sum(position), 0) from relay_cursors cross join unnest(positions) as position) as done`;
  while (!(await runOn<{ done: boolean }>(databaseUrl, look))[0]?.done);
}

async function measureSeen(field: Field) {
  const relaying = { databaseUrl: field.databaseUrl, clickhouseUrl: field.clickhouseUrl };
  const relay = await startProcess<Relaying>("relay/relay-worker.ts", relaying);
  const app = await composeApi(field.platform);
  try {
    const { key } = await makeOrganization(field.platform, { name: "Seen", isSandbox: false, keyName: "bench" });
    return await measureVisibility({ app, key, samples: field.size.samples });
  } finally {
    await app.close();
    await relay.stop();
  }
}

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const rounded = (value: number): number => Number(value.toFixed(2));
