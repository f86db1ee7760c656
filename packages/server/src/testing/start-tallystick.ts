/** The service on a database of the test file's own, called through HTTP without a socket. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance, InjectOptions } from "fastify";
import { Logger, runTaskListOnce } from "graphile-worker";
import { afterAll, inject } from "vitest";
import { runNextDue } from "../jobs/due.ts";
import { dispatchNextMessage } from "../jobs/outbox.ts";
import { type JobHandler, toTaskList } from "../jobs/queue.ts";
import type { Loop } from "../jobs/worker.ts";
import {
  type Additions,
  composeApi,
  composeJobs,
  composePlatform,
  composeWorker,
  type Platform,
} from "../main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../main/config.ts";
import { makeOrganization } from "../main/make-organization.ts";
import { runOn, withDatabase } from "../platform/postgres/temporary-database.ts";

export type Answer = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of any answer; the schema is what checks them
  body: any;
  text: string;
  headers: Record<string, unknown>;
};
export type Call = (
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
  options?: CallOptions,
) => Promise<Answer>;
export type CallOptions = { key?: string | null; headers?: Record<string, string>; raw?: string | Buffer };

export type TestService = {
  platform: Platform;
  app: FastifyInstance;
  organizations: readonly { id: string; key: string }[];
  /** Below /api/v1, with the first organization's key unless another is given. */
  call: Call;
  /** Does everything that is due, waiting in the outbox or queued, until nothing is left. */
  drain: () => Promise<void>;
  /** What a scheduled job does, and what a queued one does for an organization; by their names. */
  runScheduled: (name: string) => Promise<void>;
  runJob: (name: string, organizationId: string, payload: unknown) => Promise<void>;
  /** The worker as it runs beside the API; the test stops it. */
  startWorker: () => Promise<Loop>;
  /** Another API on the same database, as another process has it; the test closes it. */
  openApi: () => Promise<FastifyInstance>;
};

/** A database cloned from the migrated template; it goes with the template after all tests. */
export async function cloneDatabase(): Promise<string> {
  const template = new URL(inject("templateUrl")).pathname.slice(1);
  return createTestDatabase(`template ${template}`);
}

/** Named after the template, by which it is found and removed after all tests. */
export async function createTestDatabase(options = ""): Promise<string> {
  const templateUrl = inject("templateUrl");
  const name = `${new URL(templateUrl).pathname.slice(1)}_${randomBytes(6).toString("hex")}`;
  await runOn(withDatabase(templateUrl, "postgres"), `create database ${name} ${options}`);
  return withDatabase(templateUrl, name);
}

export type TestOptions = Additions & {
  organizations?: number;
  isSandbox?: boolean;
  settings?: Parameters<typeof readConfig>[0];
  /** For all test files of a process that do not isolate modules: it ends with the process, not with the file. */
  outlivesFile?: boolean;
};

export async function startTallystick(options: TestOptions = {}): Promise<TestService> {
  const url = await cloneDatabase();
  const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS, ...options.settings });
  const platform = composePlatform(config, options);
  const app = await composeApi(platform);
  await app.ready();
  if (!options.outlivesFile)
    afterAll(async () => {
      await app.close();
      await platform.close();
    });
  const organizations: { id: string; key: string }[] = [];
  for (let number = 1; number <= (options.organizations ?? 2); number++) {
    organizations.push(await makeTestOrganization(platform, `Company ${number}`, options.isSandbox ?? true));
  }
  const call: Call = async (method, path, body, { key = organizations[0]?.key ?? null, headers = {}, raw } = {}) => {
    const request: InjectOptions = { method, url: `/api/v1${path}`, headers: { ...headers } };
    if (key !== null) request.headers = { authorization: `Bearer ${key}`, ...request.headers };
    if (raw !== undefined || body !== undefined) {
      request.payload = raw ?? JSON.stringify(body);
      request.headers = { "content-type": "application/json", ...request.headers };
    }
    const response = await app.inject(request);
    const isJson = String(response.headers["content-type"]).includes("json");
    return {
      status: response.statusCode,
      body: isJson ? response.json() : {},
      text: response.body,
      headers: response.headers,
    };
  };
  return {
    platform,
    app,
    organizations,
    call,
    drain: () => drain(platform),
    runScheduled: async (name) => found(composeJobs(platform).scheduled.find((job) => job.name === name)).run(),
    runJob: async (name, organizationId, payload) =>
      found<JobHandler>(composeJobs(platform).jobs[name])(organizationId, payload),
    startWorker: () => composeWorker(platform),
    openApi: () => composeApi(platform),
  };
}

export const makeTestOrganization = (platform: Platform, name: string, isSandbox = true) =>
  makeOrganization(platform, { name, isSandbox, keyName: "test" });

function found<Job>(job: Job | undefined): Job {
  if (job === undefined) throw new Error("there is no such job");
  return job;
}

const quiet = new Logger(() => () => undefined);

async function drain(platform: Platform): Promise<void> {
  const { registry, additions, queuePool } = platform;
  let worked = true;
  while (worked) {
    // First, because it does not say whether it did anything: what it leaves is found by the others.
    const client = await queuePool.connect();
    try {
      await runTaskListOnce({ logger: quiet }, toTaskList(composeJobs(platform)), client);
    } finally {
      client.release();
    }
    worked = false;
    for (const consume of Object.values(platform.consumers)) worked = (await consume()) || worked;
    worked = (await runNextDue(platform, registry)) || worked;
    // All of them: a round for each would cost more than handing them out.
    while (await dispatchNextMessage(platform, additions.subscribers ?? [])) worked = true;
  }
}
