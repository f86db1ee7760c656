/** One life's way to the service: an organization of its own, the requests it made, and what a worker would have done behind them. */
import type pg from "pg";
import { isTransient } from "../../packages/server/src/jobs/failures.ts";
import type { Platform } from "../../packages/server/src/main/compose.ts";
import { composeJobs } from "../../packages/server/src/main/compose-work.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { carryOnClocks } from "../../packages/server/src/testing/carry-on-clocks.ts";
import { type Answer, type Members, type Method, patient, type Send, type Service } from "../served-api.ts";
import { Broken } from "./demand.ts";
import type { Marks, ReadMarks } from "./marks.ts";
import type { Watch } from "./watched.ts";

/** What all lives of a part share. */
export type Stage = {
  readonly service: Service;
  /** As superuser: it sees every row. */
  readonly pool: pg.Pool;
  readonly readMarks: ReadMarks;
  readonly note: (figure: string) => void;
  /** Where the harness itself is put to the test. */
  readonly watch?: Watch;
};

const LOOKS_MAX = 400;
const TRIES_MAX = 10;
const CONSUMED_MAX = 200;
const REFUSALS: readonly number[] = [404, 405, 422];

type TestClock = { test_clock: { svc_id: string; status: string; now: string } };

export class Session {
  readonly stage: Stage;
  readonly organizationId: string;
  readonly transcript: string[] = [];
  /** Digits behind the point of all amounts. */
  readonly exponent: number;
  private readonly send: Send;
  private readonly platform: Platform;
  private clockId = "";
  private now = "";
  private hasSentEvents = false;

  private constructor(stage: Stage, { id, key }: { id: string; key: string }, exponent: number) {
    this.exponent = exponent;
    this.stage = stage;
    this.platform = stage.service.platform;
    this.organizationId = id;
    this.send = patient(stage.service.sendWith(key));
  }

  static async open(stage: Stage, name: string, exponent: number): Promise<Session> {
    const { platform } = stage.service;
    return new Session(stage, await makeOrganization(platform, { name, isSandbox: true, keyName: "lives" }), exponent);
  }

  /** What the service may refuse. Undefined: it did. */
  async ask<Body = Members>(method: Method, path: string, body?: unknown): Promise<Body | undefined> {
    const answer = await this.request(method, path, body);
    if (answer.status === 200) return answer.body as Body;
    if (!REFUSALS.includes(answer.status))
      throw new Broken("serverErrors", `${method} ${path}: ${JSON.stringify(answer)}`);
    return undefined;
  }

  /** What the service must not refuse. */
  async must<Body = Members>(method: Method, path: string, body?: unknown): Promise<Body> {
    const answer = await this.request(method, path, body);
    if (answer.status !== 200)
      throw new Broken(
        answer.status >= 500 ? "serverErrors" : "refused",
        `${method} ${path}: ${JSON.stringify(answer)}${answer.status >= 500 ? ` ${this.stage.service.lastError()}` : ""}`,
      );
    return answer.body as Body;
  }

  async request(method: Method, path: string, body?: unknown): Promise<Answer> {
    const line = `${this.now} ${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`;
    if (method !== "GET") this.transcript.push(line);
    if (path === "/events") this.hasSentEvents = true;
    const answer = await this.send(method, path, body);
    if (method !== "GET") this.transcript[this.transcript.length - 1] = `${line} -> ${outcomeOf(answer)}`;
    if (method !== "GET") this.stage.note(answer.status === 200 ? "accepted" : `refused: ${answer.body.code}`);
    return answer;
  }

  async openClock(now: string): Promise<string> {
    this.now = now;
    this.clockId = (await this.must<TestClock>("POST", "/test_clocks", { test_clock: { now } })).test_clock.svc_id;
    return this.clockId;
  }

  /** `shown`: as an answer has it, in whole seconds. */
  async advance(to: string, shown = to): Promise<void> {
    const path = `/test_clocks/${this.clockId}`;
    let { test_clock } = await this.must<TestClock>("POST", `${path}/advance`, { test_clock: { now: to } });
    for (let looks = 0; test_clock.status === "advancing" && looks < LOOKS_MAX; looks++) {
      await carryOnClocks(this.platform);
      ({ test_clock } = await this.must<TestClock>("GET", path));
    }
    if (test_clock.status !== "ready" || test_clock.now !== shown)
      throw new Broken("clockStuck", `it stands at ${test_clock.now}, ${test_clock.status}, on its way to ${to}`);
    this.now = to;
  }

  /** Does what the requests so far left to be done, in a worker's place and only for this organization. */
  async settle(): Promise<Marks> {
    for (let rounds = 0; rounds < 20; rounds++) {
      const hadJobs = await this.runJobs();
      const marks = await this.stage.readMarks(this.organizationId);
      const isBehind = this.hasSentEvents || marks.refreshes !== "0";
      if (!hadJobs && !isBehind) return marks;
      if (isBehind) await this.consume();
      this.hasSentEvents = false;
    }
    throw new Broken("neverSettles", "jobs ask for jobs without end");
  }

  /** What one event keeps from going on is tried again and again, which must end. */
  private async consume(): Promise<void> {
    for (let steps = 0; steps < CONSUMED_MAX; steps++)
      if (!(await again(() => this.platform.consumeFor(this.organizationId)))) return;
    throw new Broken("neverSettles", "events are followed without end");
  }

  private async runJobs(): Promise<boolean> {
    const { rows } = await this.stage.pool.query<{ task: string; payload: { payload: unknown } }>(
      `delete from graphile_worker._private_jobs as jobs using graphile_worker._private_tasks as tasks
       where tasks.id = jobs.task_id and jobs.payload ->> 'organization_id' = $1
       returning tasks.identifier as task, jobs.payload`,
      [this.organizationId],
    );
    const { jobs } = composeJobs(this.platform);
    for (const { task, payload } of rows)
      await again(async () => jobs[task]?.(this.organizationId, payload.payload)).catch((error: unknown) => {
        throw new Broken("serverErrors", `the job ${task} failed: ${error}`);
      });
    return rows.length > 0;
  }
}

/** As a worker does it: what fails in a way that passes by itself is tried again. A machine that stands still loses its connections. */
async function again<Result>(work: () => Promise<Result>, tries = 1): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isTransient(error) || tries === TRIES_MAX) throw error;
    return again(work, tries + 1);
  }
}

function outcomeOf({ status, body }: Answer): string {
  if (status === 200) {
    const [made] = Object.values(body);
    const id = (made as { svc_id?: string } | null)?.svc_id;
    return id === undefined ? "200" : `200 ${id}`;
  }
  return `${status} ${body.code} ${body.error_details === undefined ? "" : JSON.stringify(body.error_details)}`;
}
