/** What people wait for when they look for something: lists, searches and the summary of invoices, in a large organization. */
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { composeApi, composePlatform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { fillLists } from "./lists/fill.ts";

/** Memory like a small server. */
const SETTINGS = ["shared_buffers=1GB", "max_wal_size=8GB", "fsync=off"];
const P95_MAX_MS = 500;
const KEY_NAME = "bench";

const OPTIONS = {
  customers: { type: "string", default: "100000" },
  invoices: { type: "string", default: "1000000" },
  events: { type: "string", default: "10000000" },
  rounds: { type: "string", default: "20" },
  /** Keeps the database there, so that another run need not fill it. */
  folder: { type: "string" },
} as const;

const TO_PAY =
  "status=finalized&payment_status[]=pending&payment_status[]=failed&payment_overdue=false&payment_dispute_lost=false";

const REQUESTS: Readonly<Record<string, string>> = {
  "invoices: all": "/invoices?per_page=50",
  "invoices: all, page 1,000": "/invoices?per_page=50&page=1000",
  "invoices: draft": "/invoices?per_page=50&status=draft",
  "invoices: to pay": `/invoices?per_page=50&${TO_PAY}`,
  "invoices: overdue": "/invoices?per_page=50&payment_overdue=true",
  "invoices: paid": "/invoices?per_page=50&status=finalized&payment_status=succeeded",
  "invoices: voided": "/invoices?per_page=50&status=voided",
  "invoices: of a customer": "/invoices?per_page=50&external_customer_id=cust_4711",
  "invoices: in US dollars": "/invoices?per_page=50&currency=USD",
  "invoices: search a number": "/invoices?per_page=50&search_term=4711-000003",
  "invoices: search a customer": "/invoices?per_page=50&search_term=billing4711@",
  "invoices: search what many have": "/invoices?per_page=50&search_term=ardent",
  "invoices: search what none has": "/invoices?per_page=50&search_term=nothing like it",
  "invoices: search what all have": "/invoices?per_page=50&search_term=example.com",
  "invoices: search two characters": "/invoices?per_page=50&search_term=71",
  "summary: all": "/invoices/summary",
  "summary: in US dollars": "/invoices/summary?currency=USD",
  "summary: of a customer": "/invoices/summary?external_customer_id=cust_4711",
  "summary: of a month": "/invoices/summary?issuing_date_from=2026-10-01&issuing_date_to=2026-10-31",
  "summary: search a customer": "/invoices/summary?search_term=billing4711@",
  "summary: search what many have": "/invoices/summary?search_term=ardent",
  "search everything: a number": "/search?term=4711-000003",
  "search everything: a customer": "/search?term=billing4711@",
  "search everything: what many have": "/search?term=ardent",
  "search everything: what none has": "/search?term=nothing like it",
  "search everything: what all have": "/search?term=example.com",
  "search everything: two characters": "/search?term=71",
  "customers: all": "/customers?per_page=50",
  "customers: by name": "/customers?per_page=50&sort=name",
  "customers: search one": "/customers?per_page=50&search_term=billing4711@",
  "customers: search what many have": "/customers?per_page=50&search_term=ardent",
  "customers: search what none has": "/customers?per_page=50&search_term=nothing like it",
  "customers: search what all have": "/customers?per_page=50&search_term=example.com",
  "customers: search two characters": "/customers?per_page=50&search_term=71",
  "events: newest": "/events?limit=50",
  "events: of a subscription": "/events?limit=50&external_subscription_id=sub_4711",
  "events: of a code": "/events?limit=50&code=tokens",
};

export async function measureLists() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  const size = {
    customers: Number(values.customers),
    invoices: Number(values.invoices),
    events: Number(values.events),
  };
  const isFilled = values.folder !== undefined && existsSync(join(values.folder, "data"));
  const folder = values.folder === undefined ? {} : { dataFolder: values.folder };
  const cluster = await startEmbeddedPostgres({ settings: SETTINGS, ...folder });
  try {
    await migrate(cluster.url);
    const platform = composePlatform(readConfig({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
    const app = await composeApi(platform);
    try {
      await app.ready();
      const { id, key } = await makeOrganization(platform, { name: "Bench", isSandbox: true, keyName: KEY_NAME });
      const fillSeconds = isFilled ? await adopt(cluster.url, id) : await fillLists(cluster.url, id, size);
      const get = async (path: string): Promise<void> => {
        const { statusCode, body } = await app.inject({
          url: `/api/v1${path}`,
          headers: { authorization: `Bearer ${key}` },
        });
        // 503: the time limit of a statement has passed, so the measured time is at least that.
        if (statusCode !== 200 && statusCode !== 503) throw new Error(`${path} answers ${body}`);
      };
      const p95Ms = await measureAll(get, Number(values.rounds));
      const slow = Object.entries(p95Ms).filter(([, { p95 }]) => p95 > P95_MAX_MS);
      return {
        size,
        rounds: Number(values.rounds),
        fillSeconds,
        p95MaxMs: P95_MAX_MS,
        slowestP95Ms: Math.max(...Object.values(p95Ms).map(({ p95 }) => p95)),
        slow: slow.map(([name]) => name),
        ms: p95Ms,
        loadAfter: loadavg().map((load) => Number(load.toFixed(1))),
      };
    } finally {
      await app.close();
      await platform.close();
    }
  } finally {
    await cluster.stop();
  }
}

/** Each request in turn, so that other load on the machine slows all. The first round warms up. */
async function measureAll(get: (path: string) => Promise<void>, rounds: number) {
  const times = new Map(Object.keys(REQUESTS).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, path] of Object.entries(REQUESTS)) {
      const begun = performance.now();
      await get(path);
      if (round > 0) times.get(name)?.push(performance.now() - begun);
    }
  return Object.fromEntries(
    [...times].map(([name, list]) => [name, { p50: quantile(list, 0.5), p95: quantile(list, 0.95) }]),
  );
}

const quantile = (list: readonly number[], share: number): number =>
  Math.round(list.toSorted((one, other) => one - other)[Math.ceil(list.length * share) - 1] ?? 0);

/** The organization of an earlier run gets the key of this one. */
async function adopt(url: string, newId: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select organization_id from customers limit 1");
  await client.query("set session_replication_role = replica");
  await client.query("update api_keys set organization_id = $1 where organization_id = $2", [
    rows[0]?.organization_id,
    newId,
  ]);
  await client.end();
  return "filled by an earlier run";
}
