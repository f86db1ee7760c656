/** Starts the service on a database for one test file, called through HTTP without a socket. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, inject } from "vitest";
import { dispatchMessages } from "../jobs/outbox.ts";
import type { JobHandler } from "../jobs/queue.ts";
import type { Loop } from "../jobs/worker.ts";
import { type Additions, composeApi, composePlatform, type Platform } from "../main/compose.ts";
import { composeJobs, composeWorker } from "../main/compose-work.ts";
import { CLICKHOUSE_OFF, readConfig, SECRETS_KEY_OFF } from "../main/config.ts";
import { NO_RATE_LIMITS } from "../main/limit-settings.ts";
import { makeOrganization } from "../main/make-organization.ts";
import { ALL_PERMISSIONS } from "../modules/accounts/index.ts";
import { runOn, withDatabase } from "../platform/postgres/temporary-database.ts";
import { newMasterKey } from "../platform/secrets/master-keys.ts";
import { type Call, callOf } from "./call-api.ts";
import { contradict } from "./contradicted-invoices.ts";
import { deliverOf } from "./deliver.ts";
import { drain } from "./drain.ts";
import { makeTestPerson } from "./make-test-person.ts";
import { startClickhouse } from "./start-clickhouse.ts";

export type { Answer, Call, CallOptions } from "./call-api.ts";

export type TestService = {
  platform: Platform;
  app: FastifyInstance;
  organizations: readonly { id: string; key: string }[];
  /** Calls a path below /api/v1, by default with the first organization's key. */
  call: Call;
  /** Does all due, outbox and queued work until nothing is left. */
  drain: () => Promise<void>;
  /** Publishes the waiting outbox messages, or only those about one object, and does nothing else. */
  deliver: Deliver;
  /** Runs a scheduled job, or a queued job of an organization, by name. */
  runScheduled: (name: string) => Promise<void>;
  runJob: (name: string, organizationId: string, payload: unknown) => Promise<void>;
  /** Starts a worker as it runs next to the API. The test stops it. */
  startWorker: () => Promise<Loop>;
  /** Another API on the same database, like another process. The test closes it. */
  openApi: () => Promise<FastifyInstance>;
};

/** A database cloned from the migrated template, dropped after all tests. */
export async function cloneDatabase(): Promise<string> {
  const template = new URL(inject("templateUrl")).pathname.slice(1);
  return createTestDatabase(`template ${template}`);
}

/** Its name begins with the template's name, so that the cleanup finds it. */
export async function createTestDatabase(options = ""): Promise<string> {
  const templateUrl = inject("templateUrl");
  const name = `${new URL(templateUrl).pathname.slice(1)}_${randomBytes(6).toString("hex")}`;
  await runOn(withDatabase(templateUrl, "postgres"), `create database ${name} ${options}`);
  return withDatabase(templateUrl, name);
}

export type Callers = "keys" | "people";

/** Of a test file that is run for both: `import("./a.test.ts?people")` runs it for people. */
export const callersOf = (fileUrl: string): Callers => (fileUrl.endsWith("?people") ? "people" : "keys");

export type TestOptions = Additions & {
  organizations?: number;
  /** By default keys; `people` gives each organization an owner who signed in, whose credential stands in place of the key. */
  callers?: Callers;
  isSandbox?: boolean;
  settings?: Parameters<typeof readConfig>[0];
  /** Reads usage from its own ClickHouse database. */
  clickhouse?: boolean;
  /** Requests use a login that cannot become the dispatcher, as in the guide. */
  requestsLogin?: boolean;
  /** Shared by test files that do not isolate modules. It ends with the process, not with the file. */
  outlivesFile?: boolean;
};

export async function startTallystick(options: TestOptions = {}): Promise<TestService> {
  const url = await cloneDatabase();
  // A server from the environment is only for tests that request one. Each has its own database there.
  const clickhouseUrl = options.clickhouse ? (await startClickhouse(options)).url : CLICKHOUSE_OFF;
  const config = readConfig({
    DATABASE_URL: url,
    ...(options.requestsLogin ? { REQUESTS_DATABASE_URL: await makeRequestsLogin(url) } : {}),
    CLICKHOUSE_URL: clickhouseUrl,
    LOG_LEVEL: "silent",
    SECRETS_KEY: newMasterKey(),
    SECRETS_KEY_FILE: SECRETS_KEY_OFF,
    ...NO_RATE_LIMITS,
    ...options.settings,
  });
  const platform = composePlatform(config, { recomputeInvoice: contradict, ...options });
  const app = await composeApi(platform);
  await app.ready();
  if (!options.outlivesFile)
    afterAll(async () => {
      await app.close();
      await platform.close();
    });
  const organizations: { id: string; key: string }[] = [];
  for (let number = 1; number <= (options.organizations ?? 2); number++) {
    organizations.push(await makeTestOrganization(platform, `Company ${number}`, options));
  }
  const call = callOf(app, organizations[0]?.key ?? null);
  return {
    platform,
    app,
    organizations,
    call,
    drain: () => drain(platform),
    deliver: createDeliver(platform),
    runScheduled: async (name) => found(composeJobs(platform).scheduled.find((job) => job.name === name)).run(),
    runJob: async (name, organizationId, payload) =>
      found<JobHandler>(composeJobs(platform).jobs[name])(organizationId, payload),
    startWorker: () => composeWorker(platform),
    openApi: () => composeApi(platform),
  };
}

/** Dropped after all tests. */
async function makeRequestsLogin(url: string): Promise<string> {
  const own = new URL(url);
  own.username = `requests_${randomBytes(6).toString("hex")}`;
  own.password = randomBytes(16).toString("hex");
  await runOn(url, `create role ${own.username} login noinherit password '${own.password}' in role tallystick_app`);
  afterAll(async () => void (await runOn(url, `drop role ${own.username}`)));
  return own.toString();
}

/** Its key has every permission, also those that a key must name; or stands for an owner who signed in. */
export async function makeTestOrganization(
  platform: Platform,
  name: string,
  { isSandbox = true, callers = "keys" }: Pick<TestOptions, "isSandbox" | "callers"> = {},
): Promise<{ id: string; key: string }> {
  const made = await makeOrganization(platform, { name, isSandbox, keyName: "test", permissions: ALL_PERMISSIONS });
  return callers === "keys" ? made : { ...made, key: (await makeTestPerson(platform, made.id)).credential };
}

export type Deliver = (objectId?: string) => Promise<void>;

const createDeliver =
  (platform: Platform): Deliver =>
  async (objectId) => {
    if (objectId !== undefined) return deliverOf(platform, objectId);
    while (await dispatchMessages(platform, platform.subscribers));
  };

function found<Job>(job: Job | undefined): Job {
  if (job === undefined) throw new Error("there is no such job");
  return job;
}
