/** How fast events are ingested over HTTP, against the bare statement on the same tables, in one run on one machine. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { composePlatform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { runOn } from "../packages/server/src/platform/postgres/temporary-database.ts";
import type { Stored, Storing } from "./ingest/bare-worker.ts";
import type { Sending, Sent } from "./ingest/client-worker.ts";
import { cpuSecondsOf, findPostmaster } from "./ingest/cpu.ts";
import type { Serving } from "./ingest/server-worker.ts";
import { ALL_NEW, type Mix } from "./ingest/workload.ts";
import { answerOf, startProcess } from "./start-process.ts";

const BATCH_SIZE = 100;
const ORGANIZATIONS = 100;
const BARE_CONNECTIONS = [2, 4, 8];
const MIXED: Mix = { repeats: 0.01, conflicts: 0.001 };

const OPTIONS = {
  rounds: { type: "string", default: "5" },
  batches: { type: "string", default: "2000" },
  singles: { type: "string", default: "30000" },
  connections: { type: "string", default: "32" },
  "single-connections": { type: "string", default: "64" },
  /** Events in the tables for the last part; 10000000 in the full form. */
  stored: { type: "string", default: "1000000" },
  parts: { type: "string", default: "batches,organizations,mixed,singles,stored" },
  /** Memory of Postgres, by default like a small server. */
  "shared-buffers": { type: "string", default: "1GB" },
  /** A folder for the CPU profile of the service. */
  profile: { type: "string" },
} as const;

type Organization = { id: string; key: string };
type Field = {
  databaseUrl: string;
  /** The process id of the database server. */
  postmaster: number;
  organizations: readonly Organization[];
  size: Record<"rounds" | "batches" | "singles" | "connections" | "singleConnections" | "stored", number>;
  profile: string | undefined;
};

export async function measureIngest() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  // Durable as in production: fsync stays on.
  const settings = [`shared_buffers=${values["shared-buffers"]}`, "max_wal_size=4GB"];
  const cluster = await startEmbeddedPostgres({ settings });
  try {
    await migrate(cluster.url);
    const field: Field = {
      databaseUrl: cluster.url,
      postmaster: await findPostmaster(cluster.url),
      organizations: await makeOrganizations(cluster.url),
      size: {
        rounds: Number(values.rounds),
        batches: Number(values.batches),
        singles: Number(values.singles),
        connections: Number(values.connections),
        singleConnections: Number(values["single-connections"]),
        stored: Number(values.stored),
      },
      profile: values.profile,
    };
    const figures: Record<string, unknown> = {};
    for (const part of values.parts.split(",")) {
      figures[part] = await PARTS[part]?.(field);
      process.stderr.write(`${part}: ${JSON.stringify(figures[part])}\n`);
    }
    const [{ server_version } = { server_version: "" }] = await runOn<{ server_version: string }>(
      cluster.url,
      "show server_version",
    );
    return { postgres: server_version, settings, size: field.size, ...figures };
  } finally {
    await cluster.stop();
  }
}

const PARTS: Readonly<Record<string, (field: Field) => Promise<unknown>>> = {
  batches: (field) => measureBatches(field, { organizations: 1, mix: ALL_NEW }),
  organizations: (field) => measureBatches(field, { organizations: ORGANIZATIONS, mix: ALL_NEW }),
  mixed: (field) => measureBatches(field, { organizations: 1, mix: MIXED }),
  singles: measureSingles,
  stored: measureStored,
};

/** In turns, so that other load on the machine slows both. */
async function measureBatches(field: Field, { organizations, mix }: { organizations: number; mix: Mix }) {
  const bare = new Map<number, Measured[]>(BARE_CONNECTIONS.map((connections) => [connections, []]));
  const http: (Sent & Measured)[] = [];
  const server = await serve(field, "service");
  for (let round = 0; round < field.size.rounds; round++) {
    for (const [connections, runs] of bare) runs.push(await storeBare(field, { organizations, connections }));
    http.push(await send(field, server, { organizations, mix }));
  }
  await server.stop();
  const bareFigures = [...bare].map(([connections, runs]) => ({ connections, ...middle(runs) }));
  const best = bareFigures.reduce((one, other) => (other.rate > one.rate ? other : one));
  const { rate, cpuMicroseconds } = middle(http);
  return {
    bare: bareFigures,
    http: { rate, cpuMicroseconds, ...latency(http) },
    ratio: rounded(rate / best.rate),
    cpuRatio: rounded(total(best.cpuMicroseconds) / total(cpuMicroseconds)),
    answered: http.at(-1)?.answered,
    load: loadavg().map(rounded),
  };
}

/** In turns: the service, one statement per request, and no database at all. */
async function measureSingles(field: Field) {
  const kinds = ["service", "statement a request", "no database"] as const;
  const servers = await Promise.all(
    kinds.map(async (kind) => ({ kind, server: await serve(field, kind), rounds: [] as (Sent & Measured)[] })),
  );
  for (let round = 0; round < field.size.rounds; round++) {
    for (const { server, rounds } of servers)
      rounds.push(await send(field, server, { organizations: 1, mix: ALL_NEW, isSingle: true }));
  }
  await Promise.all(servers.map(({ server }) => server.stop()));
  const figures = servers.map(({ kind, rounds }) => {
    const figure = { ...middle(rounds), ...latency(rounds), answered: rounds.at(-1)?.answered };
    return [kind, figure] as const;
  });
  const rates = new Map(figures.map(([kind, { rate }]) => [kind, rate]));
  const ratio = rounded((rates.get("service") ?? 0) / (rates.get("statement a request") ?? 1));
  return { ...Object.fromEntries(figures), toStatementARequest: ratio, load: loadavg().map(rounded) };
}

/** The rate with many events in the tables, against the rate with none. */
async function measureStored(field: Field) {
  const server = await serve(field, "service");
  const measure = async (isEmptied: boolean) => {
    const rates: number[] = [];
    for (let round = 0; round < field.size.rounds; round++) {
      const { rate } = await send(field, server, { organizations: 1, mix: ALL_NEW, keepsEvents: !isEmptied });
      rates.push(rate);
    }
    return median(rates);
  };
  const empty = await measure(true);
  await fill(field);
  const full = await measure(false);
  await server.stop();
  await reset(field);
  return {
    stored: field.size.stored,
    empty: Math.round(empty),
    full: Math.round(full),
    ratio: rounded(full / empty),
    load: loadavg().map(rounded),
  };
}

/** Events per second, and the processor time per event of each process, in microseconds. */
type Measured = { rate: number; cpuMicroseconds: Readonly<Record<string, number>> };

async function storeBare(
  field: Field,
  { organizations, connections }: { organizations: number; connections: number },
): Promise<Measured> {
  await reset(field);
  const statements = field.size.batches;
  return measureWorker<Storing, Stored>(field, "bare-worker.ts", {
    events: statements * BATCH_SIZE,
    request: {
      databaseUrl: field.databaseUrl,
      organizationIds: field.organizations.slice(0, organizations).map(({ id }) => id),
      connections,
      statements,
      batchSize: BATCH_SIZE,
      mix: ALL_NEW,
    },
  });
}

type Request = { organizations: number; mix: Mix; isSingle?: boolean; keepsEvents?: boolean };

async function send(field: Field, server: Server, { organizations, mix, isSingle, keepsEvents }: Request) {
  if (!keepsEvents) await reset(field);
  const { batches, singles, connections, singleConnections } = field.size;
  const requests = isSingle ? singles : batches;
  return measureWorker<Sending, Sent>(field, "client-worker.ts", {
    events: requests * (isSingle ? 1 : BATCH_SIZE),
    server,
    request: {
      url: server.url,
      keys: field.organizations.slice(0, organizations).map(({ key }) => key),
      connections: isSingle ? singleConnections : connections,
      requests,
      batchSize: isSingle ? 0 : BATCH_SIZE,
      mix,
    },
  });
}

type Work<Input> = { request: Input; events: number; server?: Server };

async function measureWorker<Options extends object, Result extends { seconds: number; cpuSeconds: number }>(
  { postmaster }: Field,
  name: string,
  { request: input, events, server }: Work<Options>,
): Promise<Result & Measured> {
  const { worker, stop } = await startProcess(`ingest/${name}`, input);
  const used = () => [cpuSecondsOf(postmaster) ?? 0, server ? (cpuSecondsOf(server.processId) ?? 0) : 0] as const;
  const [postgresBefore, serverBefore] = used();
  worker.send("begin");
  const result = await answerOf<Result>(worker);
  const [postgresAfter, serverAfter] = used();
  await stop();
  const perEvent = (seconds: number) => rounded((seconds * 1e6) / events);
  const cpuMicroseconds = {
    [server ? "client" : "statement"]: perEvent(result.cpuSeconds),
    ...(server ? { server: perEvent(serverAfter - serverBefore) } : {}),
    postgres: perEvent(postgresAfter - postgresBefore),
  };
  return { ...result, rate: events / result.seconds, cpuMicroseconds };
}

/** Empties the tables and flushes all writes to disk. */
async function reset({ databaseUrl }: Field): Promise<void> {
  await runOn(databaseUrl, "truncate events, event_keys, event_heads, event_counts");
  await runOn(databaseUrl, "checkpoint");
}

async function fill({ databaseUrl, organizations, size }: Field): Promise<void> {
  const [organization] = organizations;
  await reset({ databaseUrl } as Field);
  await runOn(
    databaseUrl,
    `with made as (
       select gen_random_uuid() as id, gen_random_uuid()::text as transaction, n,
         'sub_' || lpad((n % 1000)::text, 6, '0') as subscription, to_timestamp(1790000000 + n % 86400) as instant
       from generate_series(1, $2::integer) as n
     ), keys as (
       insert into event_keys (organization_id, id, "timestamp", received_at, external_subscription_id, transaction_id, body_digest)
       select $1, id, instant, now(), subscription, transaction, decode(md5(transaction), 'hex') from made
     )
     insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id,
       transaction_id, code, properties)
     select $1, id, instant, now(), n, 99, n, subscription, transaction, 'api_calls',
       jsonb_build_object('bytes', n % 100000 + 0.5, 'region', 'eu-west-1', 'endpoint', '/v1/items', 'tokens', n % 4096)
     from made`,
    [organization?.id, size.stored],
  );
  await runOn(databaseUrl, "vacuum analyze events");
  await runOn(databaseUrl, "vacuum analyze event_keys");
  await runOn(databaseUrl, "checkpoint");
}

async function makeOrganizations(databaseUrl: string): Promise<Organization[]> {
  const platform = composePlatform(readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
  try {
    const made: Organization[] = [];
    for (let number = 0; number < ORGANIZATIONS; number++)
      made.push(await makeOrganization(platform, { name: `Bench ${number}`, isSandbox: false, keyName: "bench" }));
    return made;
  } finally {
    await platform.close();
  }
}

type Server = { url: string; processId: number; stop: () => Promise<void> };

async function serve({ databaseUrl, profile }: Field, kind: Serving["kind"]): Promise<Server> {
  const options = profile && kind === "service" ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
  const query: Serving = { databaseUrl, kind };
  const { worker, answer, stop } = await startProcess("ingest/server-worker.ts", query, options);
  return { url: answer, processId: worker.pid ?? 0, stop };
}

/** The run with the median rate. */
function middle(runs: readonly Measured[]): Measured {
  const { rate, cpuMicroseconds } = runs.toSorted((one, other) => one.rate - other.rate)[
    Math.floor(runs.length / 2)
  ] ?? {
    rate: 0,
    cpuMicroseconds: {},
  };
  return { rate: Math.round(rate), cpuMicroseconds };
}

const latency = (runs: readonly Sent[]) => ({
  p50Ms: rounded(median(runs.map(({ p50Ms }) => p50Ms))),
  p99Ms: rounded(median(runs.map(({ p99Ms }) => p99Ms))),
});
const total = (cost: Measured["cpuMicroseconds"]): number => Object.values(cost).reduce((sum, each) => sum + each, 0);
const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const rounded = (value: number): number => Number(value.toFixed(2));
