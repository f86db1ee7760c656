/** The service on a cluster of its own, called through HTTP without a socket, for campaigns that kill nothing. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeApi, composePlatform, type Platform } from "../packages/server/src/main/compose.ts";
import { composeWorker } from "../packages/server/src/main/compose-work.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { sealNextActivities } from "../packages/server/src/modules/accounts/index.ts";
import type { Clock } from "../packages/server/src/platform/clock.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { createLog, type Log } from "../packages/server/src/platform/telemetry/log.ts";
import { tryAgain } from "../packages/server/src/testing/try-again.ts";
import { verify } from "../packages/server/src/verify/index.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type Members = Record<string, unknown>;
export type Answer = { status: number; body: Members };

/** Any answer. */
export type Send = (method: Method, path: string, body?: unknown) => Promise<Answer>;
/** Where everything asked for is valid: any other answer than 200 ends the campaign. */
export type Call = <Body>(method: Method, path: string, body?: unknown) => Promise<Body>;

export type Service = {
  url: string;
  platform: Platform;
  /** What went wrong last, by the log: it tells more than the answer 500. */
  lastError: () => string;
  sendWith: (key: string) => Send;
  callWith: (key: string) => Call;
  /** For callers in other processes: resolves with the address. */
  listen: () => Promise<string>;
};

export type ServiceOptions = {
  /** undefined: the cluster goes with the run. */
  dataFolder?: string | undefined;
  /** Of requests; as many as can be at work at once. */
  connections?: number;
  /** Carry on advances that take longer than a call waits: as many as there are test clocks, for of one there is one step at a time. */
  workers?: number;
  /** Where requests fail on purpose, the log leaves it out. */
  isSilent?: boolean;
  /** What it takes for the time of day; the system's if none is given. */
  clock?: Clock;
  /** Against a service that is wrong on purpose. */
  spoil?: (platform: Platform) => Platform;
};

/** For a cluster that goes with the run, or of which nothing is killed: it need not survive a power loss. */
export const NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=256MB"];

export async function withService<T>(options: ServiceOptions, use: (service: Service) => Promise<T>): Promise<T> {
  const { dataFolder, connections = 10, workers = 0, isSilent = false, spoil = (platform) => platform } = options;
  const clock = options.clock ? { clock: options.clock } : {};
  const onStop: (() => Promise<void>)[] = [];
  try {
    const url = await startCluster(dataFolder, onStop);
    await migrate(url);
    const settings = {
      DATABASE_URL: url,
      DATABASE_CONNECTIONS: String(connections),
      WORKER_CONCURRENCY: String(Math.max(1, workers)),
    };
    const { log, lastError } = listeningLog(isSilent);
    const platform = spoil(composePlatform(readConfig({ ...settings, ...NO_RATE_LIMITS }), { log, ...clock }));
    onStop.push(platform.close);
    if (workers > 0) onStop.push((await composeWorker(platform)).stop);
    const app = await composeApi(platform);
    onStop.push(() => app.close());
    return await use({
      url,
      platform,
      lastError,
      sendWith: (key) => senderOf(app, key),
      callWith: (key) => demanding(senderOf(app, key)),
      listen: () => app.listen({ host: "127.0.0.1", port: 0 }),
    });
  } finally {
    for (const stop of onStop.reverse()) await stop();
  }
}

/** Keeps the last error, and logs it where it is wanted. */
function listeningLog(isSilent: boolean): { log: Log; lastError: () => string } {
  let last = "";
  const write = (line: string): void => {
    if (!isSilent) process.stdout.write(line);
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
    last = `${msg}: ${err?.message}`;
  };
  return { log: createLog("error", { write }), lastError: () => last };
}

/** Reached through a Unix socket where there are such: a statement takes a third less time than through TCP. */
async function startCluster(dataFolder: string | undefined, onStop: (() => Promise<void>)[]): Promise<string> {
  const folder = dataFolder ? { dataFolder } : {};
  if (process.platform === "win32") {
    const cluster = await startEmbeddedPostgres({ settings: NOT_DURABLE, ...folder });
    onStop.push(cluster.stop);
    return cluster.url;
  }
  const sockets = await mkdtemp(join(tmpdir(), "prove-"));
  onStop.push(() => rm(sockets, { recursive: true, force: true }));
  // Whoever the server runs as makes its socket there.
  await chmod(sockets, 0o777);
  const settings = [...NOT_DURABLE, `unix_socket_directories=${sockets}`];
  const cluster = await startEmbeddedPostgres({ settings, ...folder });
  onStop.push(cluster.stop);
  return `${cluster.url}?host=${sockets}`;
}

type Api = Awaited<ReturnType<typeof composeApi>>;

export function senderOf(app: Api, key: string): Send {
  return async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await app.inject({ method, url: `/api/v1${path}`, headers, ...payload });
    return { status: answer.statusCode, body: answer.json() };
  };
}

/** Asks again where the service says so, as a client should. */
export const patient =
  (send: Send): Send =>
  (...request) =>
    tryAgain(() => send(...request));

export function demanding(send: Send): Call {
  return async <Body>(method: Method, path: string, body?: unknown) => {
    const answer = await patient(send)(method, path, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  };
}

/** As workers do within seconds: a campaign without them lasts longer than an activity may wait. */
export async function sealActivities(platform: Platform): Promise<void> {
  const sealNext = sealNextActivities(platform);
  while (await sealNext());
}

/** What the checker of every installation finds, counted and reported. */
export async function countUnclean(
  url: string,
  say: (line: string) => void,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<number> {
  const broken = (await verify(url)).filter(({ name, broken: count }) => count > 0 && !except.includes(name));
  for (const { name, rows } of broken) say(`${name}: ${JSON.stringify(rows)}`);
  return broken.reduce((sum, finding) => sum + finding.broken, 0);
}
