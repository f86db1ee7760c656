/** One run of the campaign: an organization of its own in the service, with a test clock and two customers. */
import type pg from "pg";
import { composeJobs, type Platform } from "../../packages/server/src/main/compose.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { carryOnClocks } from "../../packages/server/src/testing/carry-on-clocks.ts";
import { tryAgain } from "../../packages/server/src/testing/try-again.ts";
import { verify } from "../../packages/server/src/verify/index.ts";
import type { Step } from "./commands.ts";
import { expectedOf, type Seen, seeLife } from "./expected.ts";
import { readStored, seeShown } from "./observe.ts";
import type { Answer } from "./requests.ts";
import type { PlanTerms, World } from "./world.ts";

type Members = Record<string, unknown>;
type Method = "GET" | "POST" | "PUT" | "DELETE";
type Response = { statusCode: number; json: () => Members };

/** What all runs share. */
export type Stage = {
  readonly platform: Platform;
  readonly inject: (request: {
    method: Method;
    url: string;
    headers: Record<string, string>;
    payload?: string;
  }) => Promise<Response>;
  /** As superuser: it sees every row. */
  readonly pool: pg.Pool;
  readonly url: string;
  readonly note: (figure: string) => void;
  /** What the service logged last; perhaps of another run. */
  readonly lastError: () => string;
};

export type Found = "divergences" | "serverErrors" | "unclean";

/** Model and service do not agree; with all that was asked before. */
export class Disagreement extends Error {
  readonly found: Found;

  constructor(found: Found, transcript: readonly string[], difference: readonly string[]) {
    super([...transcript.map((line, index) => `${index + 1}. ${line}`), ...difference].join("\n"));
    this.found = found;
  }
}

const STATUSES = ["pending", "active", "terminated", "canceled"].map((status) => `status[]=${status}`).join("&");

export class Run {
  private readonly stage: Stage;
  private readonly organizationId: string;
  private readonly key: string;
  private clockId = "";
  private readonly transcript: string[] = [];

  private constructor(stage: Stage, { id, key }: { id: string; key: string }) {
    this.stage = stage;
    this.organizationId = id;
    this.key = key;
  }

  static async open(stage: Stage, world: World): Promise<Run> {
    const organization = await makeOrganization(stage.platform, { name: "Run", isSandbox: true, keyName: "campaign" });
    const run = new Run(stage, organization);
    if (world.zone !== "UTC") await run.must("PUT", "/organizations", { organization: { timezone: world.zone } });
    const clock = await run.must("POST", "/test_clocks", { test_clock: { now: world.now } });
    run.clockId = String((clock.test_clock as Members).svc_id);
    for (const { externalId, zone, hasOwnZone } of world.customers) {
      const own = hasOwnZone ? { timezone: zone } : {};
      const customer = { external_id: externalId, test_clock_id: run.clockId, ...own };
      await run.must("POST", "/customers", { customer });
    }
    run.transcript.push(
      `The clock shows ${world.now}. Zones: organization ${world.zone}, ${world.customers.map(({ externalId, zone }) => `${externalId} ${zone}`).join(", ")}.`,
    );
    return run;
  }

  /** Sends the request of a step, and looks whether everything is as the model says. */
  async take(world: World, before: string, { method, path, body, expected, makes }: Step): Promise<void> {
    if (makes) await this.must("POST", "/plans", { plan: toApiPlan(makes) });
    const json = JSON.stringify(body)?.replace("{clock}", this.clockId);
    this.transcript.push(`${before} ${method} ${path}${json === undefined ? "" : ` ${json}`}`);
    const answer = await this.untilArrived(await this.send(method, path.replace("{clock}", this.clockId), json));
    this.stage.note(answer.status === 200 ? "accepted" : "refused");
    const { seen, failures } = await this.see(world);
    if (failures.length > 0) this.disagree("serverErrors", failures);
    this.demand(answerDiffers(world, expected, answer));
    this.demand(statesDiffer(expectedOf(world), seen));
  }

  /** Every invariant of the database is kept. */
  async verify(now: string): Promise<void> {
    const broken = await brokenInvariants(this.stage.url, { organizationId: this.organizationId, now });
    if (broken.length > 0) this.disagree("unclean", broken);
  }

  private async see(world: World): Promise<{ seen: Seen[]; failures: string[] }> {
    await this.workOff();
    const list = await this.must("GET", `/subscriptions?per_page=1000&${STATUSES}`);
    const { seen, failures } = await readStored(this.stage.pool, this.organizationId);
    const shown = new Map((list.subscriptions as Members[]).map((each) => [String(each.svc_id), each]));
    const [any] = expectedOf(world);
    const all = [...seen].map(([id, stored]) => ({
      ...stored,
      shown: seeShown(shown.get(id) ?? {}, any?.shown ?? {}),
    }));
    return { seen: all, failures };
  }

  /** Does the jobs that requests of this organization asked for, in a worker's place. */
  private async workOff(): Promise<void> {
    const { rows } = await this.stage.pool.query<{ task: string; payload: { payload: unknown } }>(
      `delete from graphile_worker._private_jobs as jobs using graphile_worker._private_tasks as tasks
       where tasks.id = jobs.task_id and jobs.payload ->> 'organization_id' = $1
       returning tasks.identifier as task, jobs.payload`,
      [this.organizationId],
    );
    const { jobs } = composeJobs(this.stage.platform);
    for (const { task, payload } of rows) {
      await jobs[task]?.(this.organizationId, payload.payload).catch((error: unknown) =>
        this.disagree("serverErrors", [`The job ${task} failed: ${error}`]),
      );
    }
  }

  /** A clock that goes on after its caller has waited long enough is brought home, in a worker's place. */
  private async untilArrived(answer: { status: number; body: Members }): Promise<{ status: number; body: Members }> {
    if ((answer.body.test_clock as Members | undefined)?.status !== "advancing") return answer;
    await carryOnClocks(this.stage.platform);
    return this.send("GET", `/test_clocks/${this.clockId}`, undefined);
  }

  private async send(
    method: Method,
    path: string,
    json: string | undefined,
  ): Promise<{ status: number; body: Members }> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}` };
    if (json !== undefined) headers["content-type"] = "application/json";
    const payload = json === undefined ? {} : { payload: json };
    const request = { method, url: `/api/v1${path}`, headers, ...payload };
    const { status, body } = await tryAgain(async () => {
      const answer = await this.stage.inject(request);
      return { status: answer.statusCode, body: answer.json() };
    });
    if (status >= 500) this.disagree("serverErrors", [`${method} ${path}: 500, ${this.stage.lastError()}`]);
    return { status, body };
  }

  private async must(method: Method, path: string, body?: unknown): Promise<Members> {
    const answer = await this.send(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status !== 200)
      this.disagree("divergences", [`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`]);
    return answer.body;
  }

  private demand(difference: string[]): void {
    if (difference.length > 0) this.disagree("divergences", difference);
  }

  private disagree(found: Found, difference: string[]): never {
    throw new Disagreement(found, this.transcript, difference);
  }
}

/** A line for each invariant that is broken. */
export async function brokenInvariants(
  url: string,
  { now, ...options }: { now: string; organizationId?: string },
): Promise<string[]> {
  const findings = await verify(url, { ...options, now: Temporal.Instant.from(now) });
  return findings.filter(({ broken }) => broken > 0).map(({ name, rows }) => `${name}: ${JSON.stringify(rows)}`);
}

const toApiPlan = (plan: PlanTerms) => ({
  name: plan.code,
  code: plan.code,
  interval: plan.interval,
  amount_cents: plan.amount,
  amount_currency: plan.currency,
  pay_in_advance: plan.isInAdvance,
  trial_period: plan.trialDays,
  bill_charges_monthly: plan.areChargesMonthly,
});

function answerDiffers(world: World, expected: Answer, { status, body }: { status: number; body: Members }): string[] {
  const found = `Answered ${status} ${JSON.stringify(body).slice(0, 600)}`;
  if (status !== expected.status) return [`Expected ${expected.status} ${JSON.stringify(errorOf(expected))}`, found];
  if (expected.status === 404) return body.code === expected.code ? [] : [`Expected ${expected.code}`, found];
  if (expected.status === 422) {
    const details = { [expected.field]: [expected.code] };
    return JSON.stringify(body.error_details) === JSON.stringify(details)
      ? []
      : [`Expected ${JSON.stringify(details)}`, found];
  }
  const clock = body.test_clock as { status: string } | undefined;
  if (clock && clock.status !== "ready") return ["Expected that the clock arrives", found];
  if (!expected.shows) return [];
  const { shown } = seeLife(world, expected.shows);
  return linesDiffer("answer", membersOf(shown), membersOf(seeShown((body.subscription ?? {}) as Members, shown)));
}

const errorOf = (expected: Answer): object => (expected.status === 200 ? {} : expected);

function statesDiffer(expected: readonly Seen[], seen: readonly Seen[]): string[] {
  if (expected.length !== seen.length) return [`Expected ${expected.length} subscriptions, found ${seen.length}`];
  return expected.flatMap(({ shown, ...lists }, index) => {
    const found = seen[index];
    if (!found) return [];
    const name = `subscription ${index} (${shown.external_id} ${shown.plan_code})`;
    return [
      ...linesDiffer(`${name} shown`, membersOf(shown), membersOf(found.shown)),
      ...(["facts", "periods", "bills", "dues", "messages"] as const).flatMap((list) =>
        linesDiffer(`${name} ${list}`, lists[list], found[list]),
      ),
    ];
  });
}

const membersOf = (members: Seen["shown"]): string[] =>
  Object.entries(members).map(([name, value]) => `${name} ${value}`);

/** What only one side has; nothing if the lists are equal. */
function linesDiffer(name: string, expected: readonly string[], found: readonly string[]): string[] {
  if (expected.join("\n") === found.join("\n")) return [];
  return [
    `${name}: ${expected.length} lines expected, ${found.length} found`,
    ...expected.filter((line) => !found.includes(line)).map((line) => `  expected ${line}`),
    ...found.filter((line) => !expected.includes(line)).map((line) => `  found    ${line}`),
  ];
}
