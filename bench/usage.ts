/** The cost of usage of a large period, against the bare aggregate in SQL: same role, policies and indexes, in turns in one run. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Aggregation, Charge, ChargeFilter, Pricing } from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";
import { sql } from "kysely";
import pg from "pg";
import { composePlatform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import type { EventStore, UsageScope } from "../packages/server/src/modules/usage/event-store.ts";
import { createPostgresEventStore } from "../packages/server/src/modules/usage/postgres-event-store.ts";
import { ALONE } from "../packages/server/src/platform/postgres/batch.ts";
import { createDatabase, type Database, inOrganization } from "../packages/server/src/platform/postgres/database.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { createPool } from "../packages/server/src/platform/postgres/pool.ts";
import { WINDOW } from "./usage-window.ts";

/** Memory like a small server, so that the events of the period fit. */
const SETTINGS = ["shared_buffers=1GB", "max_wal_size=4GB"];
const RATIO_MAX = 1.3;
const CHARGES = 10;

const OPTIONS = {
  events: { type: "string", default: "1000000" },
  rounds: { type: "string", default: "7" },
} as const;

type Bench = { db: Database; store: EventStore; organizationId: string; scope: UsageScope; rounds: number };

export async function measureUsage() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  const events = Number(values.events);
  const cluster = await startEmbeddedPostgres({ settings: SETTINGS });
  try {
    await migrate(cluster.url);
    const organizationId = await fill(cluster.url, events);
    // One connection, so that its statistics cover exactly what a call read.
    const pool = createPool({ url: cluster.url, role: "app", connectionsMax: 1, statementTimeoutMs: 0 });
    const db = createDatabase(pool);
    try {
      const store = createPostgresEventStore(db);
      // Like current usage: everything accepted so far.
      const scope = { externalSubscriptionId: "large", window: WINDOW, historyFrom: WINDOW.from, cut: null };
      const bench: Bench = { db, store, organizationId, scope, rounds: Number(values.rounds) };
      return {
        eventsInPeriod: events,
        rounds: bench.rounds,
        oneMetric: await measureMetrics(bench),
        tenChargesOnOneMetric: await measureTenCharges(bench),
        sumToBeBilled: await measureBilled(bench),
        loadAfter: loadavg().map((load) => Number(load.toFixed(1))),
      };
    } finally {
      await db.destroy();
    }
  } finally {
    await cluster.stop();
  }
}

/** The events of a month as they would arrive, mixed; three of four belong to one subscription. */
async function fill(url: string, events: number): Promise<string> {
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
  const { id } = await makeOrganization(platform, { name: "Bench", isSandbox: true, keyName: "bench" });
  await platform.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const all = Math.ceil((events * 4) / 3);
  await client.query(
    `insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id,
       transaction_id, code, properties)
     select $1, gen_random_uuid(), $2::timestamptz + (n::numeric / $3::integer) * ($4::timestamptz - $2::timestamptz), now(),
       n / 4 + 1, n % 4, (2::numeric ^ 64 * abs(hashint8extended(n, 0)::numeric)) + abs(hashint8extended(n, 1)::numeric),
       case when n % 4 = 3 then 'other ' || n % 1000 else 'large' end, 'transaction ' || n, 'calls',
       jsonb_build_object('amount', (n % 100000) / 100.0, 'region', (array['us', 'eu', 'asia'])[1 + n % 3],
         'tier', (array['gold', 'silver'])[1 + n / 7 % 2], 'workspace', 'w' || n % 20, 'user', 'user ' || n % 5003,
         'request_id', md5(n::text))
     from generate_series(0, $3::integer - 1) as n`,
    [id, String(WINDOW.from), all, String(WINDOW.to)],
  );
  await client.query("insert into event_heads select organization_id, shard, max(position) from events group by 1, 2");
  await client.query("vacuum analyze");
  await client.end();
  return id;
}

const standard: Pricing = { model: "standard", amount: decimal("0.01") };

function chargeOn(aggregation: Aggregation, more: Partial<Charge> = {}): Charge {
  return {
    id: "charge",
    metric: {
      code: "calls",
      aggregation,
      filters: [
        { key: "region", values: ["us", "eu", "asia"] },
        { key: "tier", values: ["gold", "silver"] },
      ],
    },
    price: { pricing: standard, groupedBy: [] },
    filters: [],
    timing: { type: "arrears", minAmountMinor: minor(0n) },
    isProrated: false,
    ...more,
  };
}

const SUM: Aggregation = { type: "sum", field: "amount", isRecurring: false };
const AMOUNT = `(properties ->> 'amount')::numeric`;
const PERCENTAGE: Pricing = {
  model: "percentage",
  rate: decimal("1.3"),
  fixedAmount: decimal("0.2"),
  freeEvents: null,
  freeUnits: null,
  perTransactionMin: null,
  perTransactionMax: null,
};

/** Each with the shortest SQL for the same number, without filters and without a check for non-numbers. */
const METRICS: readonly { name: string; charge: Charge; bare: string }[] = [
  { name: "sum", charge: chargeOn(SUM), bare: `count(*), sum(${AMOUNT})` },
  { name: "count", charge: chargeOn({ type: "count" }), bare: "count(*)" },
  { name: "max", charge: chargeOn({ type: "max", field: "amount" }), bare: `count(*), max(${AMOUNT})` },
  {
    name: "latest",
    charge: chargeOn({ type: "latest", field: "amount" }),
    bare: `count(*), (array_agg(${AMOUNT} order by "timestamp" desc))[1]`,
  },
  {
    name: "unique count",
    charge: chargeOn({ type: "unique_count", field: "user", isRecurring: false }),
    bare: "count(*), count(distinct properties ->> 'user')",
  },
  {
    name: "weighted sum",
    charge: chargeOn({ type: "weighted_sum", field: "amount", isRecurring: false }),
    bare: `count(*), sum(${AMOUNT} * (extract(epoch from timestamptz '${WINDOW.to}') - extract(epoch from "timestamp")))`,
  },
  {
    name: "sum at a percentage",
    charge: chargeOn(SUM, { price: { pricing: PERCENTAGE, groupedBy: [] } }),
    bare: `count(*), sum(${AMOUNT})`,
  },
  {
    name: "sum at a percentage between limits: the value of each event, in order",
    charge: chargeOn(SUM, {
      price: { pricing: { ...PERCENTAGE, perTransactionMax: decimal("12") }, groupedBy: [] },
    }),
    bare: `count(*), string_agg((${AMOUNT})::text, ' ' order by "timestamp")`,
  },
];

async function measureMetrics(bench: Bench) {
  const figures: Record<string, unknown> = {};
  for (const { name, charge, bare } of METRICS) {
    const ms = await byTurns(bench.rounds, {
      bare: () => readBare(bench, bare),
      store: () => readCharges(bench, [charge]),
    });
    figures[name] = { ...rounded(ms), ratio: ratioOf(ms.store, ms.bare), isWithinMax: ms.store <= RATIO_MAX * ms.bare };
  }
  return { ratioMax: RATIO_MAX, ...figures };
}

/** Like an invoice: up to a snapshot, and with the digest of the counted events. */
async function measureBilled(bench: Bench) {
  const cut = await bench.store.takeCut(bench.organizationId);
  const ms = await byTurns(bench.rounds, {
    bare: () => readBare(bench, `count(*), sum(${AMOUNT})`),
    store: () => readCharges({ ...bench, scope: { ...bench.scope, cut } }, [chargeOn(SUM)]),
  });
  return { ...rounded(ms), ratio: ratioOf(ms.store, ms.bare) };
}

/** Filters and groups of all kinds, on one metric. */
function tenCharges(): Charge[] {
  const filter = (id: string, values: ChargeFilter["values"], groupedBy: string[]): ChargeFilter => ({
    id,
    values,
    price: { pricing: standard, groupedBy },
  });
  return Array.from({ length: CHARGES }, (_, index) => {
    const groupedBy = index % 3 === 0 ? ["workspace"] : [];
    return chargeOn(SUM, {
      id: `charge ${index}`,
      price: { pricing: standard, groupedBy },
      filters: [
        filter("us", { region: ["us"] }, groupedBy),
        filter("gold", { tier: [index % 2 === 0 ? "gold" : "silver"] }, []),
        filter("both", { region: ["us", "eu"], tier: ["gold"] }, groupedBy),
      ],
    });
  });
}

async function measureTenCharges(bench: Bench) {
  const charges = tenCharges();
  const one = charges.slice(0, 1);
  const ms = await byTurns(bench.rounds, {
    one: () => readCharges(bench, one),
    ten: () => readCharges(bench, charges),
  });
  const eventsRead = {
    one: await countRead(bench, () => readCharges(bench, one)),
    ten: await countRead(bench, () => readCharges(bench, charges)),
  };
  return { ...rounded(ms), ratio: ratioOf(ms.ten, ms.one), eventsRead };
}

const readCharges = ({ store, organizationId, scope }: Bench, charges: readonly Charge[]) =>
  store.readUsage(ALONE, organizationId, scope, charges);

const readBare = ({ db, organizationId, scope }: Bench, aggregate: string) =>
  inOrganization(db, organizationId, (tx) =>
    sql`select ${sql.raw(aggregate)} from events
      where organization_id = ${organizationId} and external_subscription_id = ${scope.externalSubscriptionId}
        and code = 'calls' and "timestamp" >= ${scope.window.from} and "timestamp" < ${scope.window.to}`.execute(tx),
  );

/** Rows of events that were read, as Postgres counts them. */
async function countRead({ db }: Bench, work: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: number }>`
      select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::float8 as read from pg_stat_user_tables where relname like 'events%'`.execute(
      db,
    );
    return rows[0]?.read ?? 0;
  };
  await read();
  const before = await read();
  await work();
  await read();
  return (await read()) - before;
}

/** All in turns, so that other load on the machine slows each; the first round is a warm-up. */
async function byTurns<Name extends string>(
  rounds: number,
  works: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const begun = performance.now();
      await works[name]();
      if (round > 0) times.get(name)?.push(performance.now() - begun);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>;
}

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const ratioOf = (one: number, other: number): number => Number((one / other).toFixed(2));
const rounded = (ms: Record<string, number>) =>
  Object.fromEntries(Object.entries(ms).map(([name, value]) => [`${name}Ms`, Math.round(value)]));
