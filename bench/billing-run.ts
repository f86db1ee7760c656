/** How fast a month is billed: one worker, against bare inserts of the same rows, in one run on one machine. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { type BareInserts, openBare } from "./billing-run/bare.ts";
import { fillWithSubscriptions } from "./billing-run/fill.ts";
import type { Billing } from "./billing-run/worker.ts";
import { cpuSecondsOf, findPostmaster } from "./ingest/cpu.ts";
import { answerOf } from "./start-process.ts";

/** Durable as in production: fsync stays on. Memory like a small server. */
const SETTINGS = ["shared_buffers=1GB", "max_wal_size=4GB"];
/** Counting takes Postgres a millisecond per few thousand invoices, so large runs count less often. */
const lookEveryMs = (subscriptions: number): number => Math.max(100, subscriptions / 50);
/** How often the worker is frozen while some invoices are inserted bare, so that both run under the same conditions of the host. */
const TURNS = 20;
/** Short enough that no transaction of the frozen worker times out as idle. */
const INVOICES_PER_TURN_MAX = 100;
const TELL_EVERY_MS = 10_000;

const OPTIONS = {
  sizes: { type: "string", default: "1000,10000,100000" },
  /** The worker's concurrency, and the number of connections of the bare side. */
  concurrency: { type: "string", default: "4" },
  "second-opinion": { type: "string", default: "all" },
  /** Recomputes every invoice, like `npm run verify -- --invoices`. */
  verify: { type: "boolean", default: false },
} as const;

type Run = { concurrency: number; secondOpinion: string; isVerified: boolean };

export async function measureBillingRun() {
  const { values } = parseArgs({ args: process.argv.slice(3), options: OPTIONS });
  const run = {
    concurrency: Number(values.concurrency),
    secondOpinion: values["second-opinion"],
    isVerified: values.verify,
  };
  const figures: Awaited<ReturnType<typeof measureSize>>[] = [];
  for (const size of values.sizes.split(",").map(Number)) {
    figures.push(await measureSize(size, run));
    process.stderr.write(`${JSON.stringify(figures.at(-1))}\n`);
  }
  const [first, last] = [figures[0], figures.at(-1)];
  return {
    ...run,
    settings: SETTINGS,
    figures,
    costOfLastAgainstFirst: first && last && (first.invoicesPerSecond / last.invoicesPerSecond).toFixed(2),
    hoursForAMillion: last && (1_000_000 / last.invoicesPerSecond / 3600).toFixed(1),
  };
}

/** Each size has its own database, so that sizes do not affect each other. */
async function measureSize(subscriptions: number, { concurrency, secondOpinion, isVerified }: Run) {
  const cluster = await startEmbeddedPostgres({ settings: SETTINGS });
  const records = new pg.Pool({ connectionString: cluster.url, max: concurrency + 1 });
  // The server may close a connection first at the end.
  records.on("error", () => undefined);
  try {
    await migrate(cluster.url);
    await fillWithSubscriptions(cluster.url, subscriptions);
    await analyzeFilled(records);
    const postmaster = await findPostmaster(cluster.url);
    const inserts = await openBare(records, { since: await findNow(records), lanes: concurrency, postmaster });
    const billing = { url: cluster.url, subscriptions, concurrency, secondOpinion, postmaster, inserts };
    const billed = await billAll(records, billing);
    const bare = inserts.figures();
    return {
      subscriptions,
      ...billed,
      bare,
      ratio: (billed.invoicesPerSecond / bare.invoicesPerSecond).toFixed(3),
      ...(isVerified ? { recomputed: await recompute(cluster.url, subscriptions) } : {}),
      load: loadavg()[0]?.toFixed(1),
    };
  } finally {
    await records.end();
    await cluster.stop();
  }
}

async function recompute(url: string, invoices: number) {
  const begun = performance.now();
  const verify = join(import.meta.dirname, "../packages/server/src/main/verify.ts");
  const env = { ...process.env, DATABASE_URL: url };
  const child = spawn(process.execPath, [verify, "--invoices"], { env, stdio: ["ignore", 2, 2] });
  const [exitCode] = await once(child, "exit");
  const seconds = (performance.now() - begun) / 1000;
  return {
    allAlike: exitCode === 0,
    seconds: Number(seconds.toFixed(1)),
    invoicesPerSecond: Number((invoices / seconds).toFixed(2)),
  };
}

/** Like autovacuum: a table analyzed while empty would count as empty for the whole run. */
async function analyzeFilled(records: pg.Pool): Promise<void> {
  const { rows } = await records.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0",
  );
  await records.query(`analyze ${rows.map(({ name }) => name).join(", ")}`);
}

type Billed = {
  url: string;
  subscriptions: number;
  concurrency: number;
  secondOpinion: string;
  postmaster: number;
  inserts: BareInserts;
};

/** From the start of the work until the last invoice is finalized. The worker's other work goes on at the same time. */
async function billAll(records: pg.Pool, billed: Billed) {
  const { url, subscriptions, concurrency, secondOpinion, postmaster } = billed;
  const task = JSON.stringify({ url, concurrency, secondOpinion } satisfies Billing);
  const child = fork(join(import.meta.dirname, "billing-run/worker.ts"), [task], { execArgv: [] });
  const ended = once(child, "exit");
  try {
    await answerOf(child);
    const { pid = 0 } = child;
    const before = { service: cpuSecondsOf(pid) ?? 0, postgres: cpuSecondsOf(postmaster) ?? 0 };
    const begun = performance.now();
    child.send("begin");
    const frozen = await untilBilled(records, billed, child);
    const seconds = (performance.now() - begun) / 1000 - frozen.seconds;
    const milliseconds = (from: number, to: number | undefined) =>
      Number(((1000 * ((to ?? 0) - from)) / subscriptions).toFixed(2));
    return {
      seconds: Number(seconds.toFixed(1)),
      invoicesPerSecond: Number((subscriptions / seconds).toFixed(2)),
      cpuMsPerInvoice: {
        service: milliseconds(before.service, cpuSecondsOf(pid)),
        postgres: milliseconds(before.postgres + frozen.postgres, cpuSecondsOf(postmaster)),
      },
    };
  } finally {
    // Also if it is frozen because the bare inserts failed.
    child.kill("SIGKILL");
    await ended;
  }
}

/** Returns the time during which the worker was frozen. */
async function untilBilled(records: pg.Pool, { subscriptions, postmaster, inserts }: Billed, child: ChildProcess) {
  const frozen = { seconds: 0, postgres: 0 };
  const perTurn = Math.min(INVOICES_PER_TURN_MAX, Math.floor(subscriptions / TURNS));
  let reportedAt = performance.now();
  let turns = 0;
  for (let billed = 0; billed < subscriptions; ) {
    await pause(lookEveryMs(subscriptions));
    if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}`);
    billed = await countBilled(records);
    if (billed >= (subscriptions / TURNS) * (turns + 1) && billed < subscriptions) {
      turns++;
      const begun = performance.now();
      const postgres = cpuSecondsOf(postmaster) ?? 0;
      child.kill("SIGSTOP");
      await inserts.insertNext(perTurn);
      child.kill("SIGCONT");
      frozen.seconds += (performance.now() - begun) / 1000;
      frozen.postgres += (cpuSecondsOf(postmaster) ?? 0) - postgres;
    }
    if (performance.now() - reportedAt < TELL_EVERY_MS) continue;
    reportedAt = performance.now();
    process.stderr.write(`${billed} of ${subscriptions} invoices\n`);
  }
  return frozen;
}

async function countBilled(records: pg.Pool): Promise<number> {
  const { rows } = await records.query<{ count: number }>(
    "select count(*)::integer as count from invoices where status = 'finalized'",
  );
  return rows[0]?.count ?? 0;
}

async function findNow(records: pg.Pool): Promise<string> {
  const { rows } = await records.query<{ now: string }>("select now()::text as now");
  return rows[0]?.now ?? "";
}
