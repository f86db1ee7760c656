/**
 * The service as it composes itself, API and work, in a process that dies at a given effect. Nothing in it knows of that: what it calls
 * outside is wrapped, in this process only. Its work is done one piece after the other, so that every run has the same effects in the
 * same order.
 */
import { dispatchMessages } from "../../packages/server/src/jobs/outbox.ts";
import { createDueRunner } from "../../packages/server/src/jobs/run-dues.ts";
import { composeApi, composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { CLICKHOUSE_OFF, readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { resumeAdvance } from "../../packages/server/src/modules/customers/index.ts";
import { runJobs } from "../../packages/server/src/testing/drain.ts";
import { type CrashPoint, createCrashPoints, during, type EffectTimes } from "./crash-point.ts";
import type { Stage } from "./effects.ts";
import { commitTooEarly } from "./naive.ts";
import { wrapAnswers, wrapClickhouse, wrapWebhooks } from "./wrap-outside.ts";
import { wrapPostgres } from "./wrap-postgres.ts";

/** One webhook after the other: several at once would end in any order. */
const SETTINGS = { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1", WEBHOOK_ATTEMPTS_AT_ONCE: "1", WORKER_CONCURRENCY: "1" };

/** By the names that the service gives to what follows the events; the others follow them for wallets. */
const STAGES_OF_CONSUMERS: Readonly<Record<string, Stage>> = {
  advance_fees: "billing",
  relay: "relay",
  rollups: "relay",
};

let now = Temporal.Instant.fromEpochMilliseconds(0);
let platform: Platform | undefined;
let api: Awaited<ReturnType<typeof composeApi>> | undefined;
let isNaive = false;

const points = createCrashPoints();

export type ServiceTask = {
  url: string;
  /** Null: usage is read from Postgres. */
  clickhouseUrl: string | null;
  /** What its clock shows until `moveTo`. */
  now: string;
  crashAt?: CrashPoint | undefined;
  isNaive: boolean;
};

/** What the campaign asks of the process. */
const handlers = {
  /** Be the service on this database, of which nothing is known; whatever it was before is over. */
  start,
  /** Take requests. */
  serve,
  moveTo: async (to: { now: string }): Promise<void> => {
    now = Temporal.Instant.from(to.now);
  },
  /** Do what workers do, one after the other, until nothing is left. */
  drain,
  /** What effects there were since the start. */
  count: async (): Promise<EffectTimes> => points.times(),
  /** Release the database. */
  stop,
};

export type Handlers = typeof handlers;
export type Request = { number: number; name: keyof Handlers; input: unknown };
export type Reply = { number: number; answer?: unknown; error?: string };

export async function runCrashingService(): Promise<undefined> {
  // Beneath the points: they see what the service asks for, not what is wrong with it.
  commitTooEarly(() => isNaive);
  wrapPostgres(points);
  wrapClickhouse(points);
  process.on("message", (request: Request) => void reply(request));
}

async function reply({ number, name, input }: Request): Promise<void> {
  const send = (answered: Reply) => process.send?.(answered, () => undefined);
  try {
    const handle = handlers[name] as (input: unknown) => Promise<unknown>;
    send({ number, answer: await handle(input) });
  } catch (error) {
    send({ number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function theService(): Platform {
  if (!platform) throw new Error("not started");
  return platform;
}

async function start(task: ServiceTask): Promise<void> {
  await stop();
  now = Temporal.Instant.from(task.now);
  isNaive = task.isNaive;
  points.begin(task.crashAt);
  const config = readConfig({
    DATABASE_URL: task.url,
    CLICKHOUSE_URL: task.clickhouseUrl ?? CLICKHOUSE_OFF,
    LOG_LEVEL: "error",
    ...SETTINGS,
    ...NO_RATE_LIMITS,
  });
  platform = composePlatform(config, { clock: { now: () => now } });
  wrapWebhooks(platform, points);
}

async function serve(): Promise<string> {
  api = await composeApi(theService());
  wrapAnswers(api.server, points);
  return api.listen({ host: "127.0.0.1", port: 0 });
}

async function stop(): Promise<void> {
  await api?.close();
  await platform?.close();
  api = undefined;
  platform = undefined;
}

/** What comes next depends on nothing but what is there to do: after a death, work goes on in the order in which it would have. */
async function drain(): Promise<void> {
  const service = theService();
  const { registry, subscribers, consumers, senders } = service;
  const sources: [Stage, () => Promise<boolean>][] = [
    ["billing", createDueRunner(service, registry)],
    ...Object.entries(consumers).map(([name, consume]): [Stage, typeof consume] => [
      STAGES_OF_CONSUMERS[name] ?? "credits",
      consume,
    ]),
    ["billing", () => resumeAdvance(service)],
    ["outbox", () => dispatchMessages(service, subscribers)],
    ...Object.values(senders).map((send): [Stage, typeof send] => ["webhooks", send]),
  ];
  const workOnce = async (): Promise<boolean> => {
    // First, because it does not say whether it did anything: what it leaves is found by the others.
    await during("jobs", () => runJobs(service));
    for (const [stage, work] of sources) if (await during(stage, work)) return true;
    return false;
  };
  while (await workOnce());
}
