/**
 * The service as its users have it: a client that repeats what was not answered, a keeper who starts it again when it died, and
 * the time. Whoever plays a scenario does not notice that it died.
 */
import { setTimeout as pause } from "node:timers/promises";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import type { Crew } from "../kills/crew.ts";
import type { Members, Method } from "../served-api.ts";
import type { CrashPoint, EffectTimes } from "./crash-point.ts";
import { Died, type ServiceProcess, startServiceProcess } from "./service-process.ts";

/** To load takes a process longer than to die. */
const SPARES = 2;
const LOOK_EVERY_MS = 5;
/** Without an answer from a process that lives, something else is wrong. */
const DEAD_WITHIN_MS = 60_000;
const GONE_WITHIN_MS = 120_000;
const ANSWERED_WITHIN_MS = 60_000;
const DRAINED_WITHIN_MS = 120_000;

export type GuardOptions = {
  url: string;
  clickhouseUrl: string | null;
  key: string;
  /** Names the requests of this service: those of another one have other names. */
  mark: string;
  now: Temporal.Instant;
  crashAt?: CrashPoint | undefined;
  isNaive: boolean;
  /** What else must be before nothing is left to do. */
  isDrained?: () => Promise<boolean>;
};

export type GuardedService = {
  /** A change, or a question; every change has one effect, however often it is sent. */
  call: <Body>(method: Method, path: string, body?: object) => Promise<Body>;
  moveTo: (now: Temporal.Instant) => Promise<void>;
  drain: () => Promise<void>;
  deaths: () => number;
  times: () => Promise<EffectTimes>;
  stop: () => Promise<void>;
};

export type Processes = {
  /** Lives through all rounds, and is the service that is started after a death: it knows nothing of the database that it is given. */
  steady: ServiceProcess;
  /** One that has not served yet; it has loaded while others worked. */
  takeMortal: () => ServiceProcess;
};

export function startProcesses(crew: Crew): Processes {
  const start = (): ServiceProcess => startServiceProcess(crew);
  const steady = start();
  const spares = Array.from({ length: SPARES }, start);
  return {
    steady,
    takeMortal: () => {
      spares.push(start());
      return spares.shift() ?? start();
    },
  };
}

export async function guardService(
  { steady, takeMortal }: Processes,
  { url, clickhouseUrl, key, mark, isNaive, isDrained = async () => true, ...options }: GuardOptions,
): Promise<GuardedService> {
  let { now } = options;
  let deaths = 0;
  let requests = 0;
  let running = options.crashAt ? takeMortal() : steady;
  let address: string | undefined;
  const start = (crashAt?: CrashPoint) =>
    running.ask("start", { url, clickhouseUrl, now: now.toString(), crashAt, isNaive });
  await start(options.crashAt);

  const startAgain = async (): Promise<void> => {
    await running.gone;
    if (running === steady) throw new Error("the service died where it should not");
    deaths++;
    await release(url, now);
    running = steady;
    address = undefined;
    await start();
  };

  /** Until it is answered by a process that lives. */
  const surely = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      await startAgain();
      return surely(ask);
    }
  };

  return {
    call: async <Body>(method: Method, path: string, body?: object) => {
      const name = `${mark} request ${++requests}`;
      let times = 0;
      return surely(async () => {
        times++;
        address ??= await running.ask("serve");
        const input = { address, key, name, method, path, body };
        const answer = await request(input, running.gone);
        if (isFine(answer, input, times)) return answer.body as Body;
        throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
      });
    },
    moveTo: async (instant) => {
      now = instant;
      await surely(() => running.ask("moveTo", { now: now.toString() }));
    },
    drain: async () => {
      const begun = performance.now();
      do {
        await surely(() => running.ask("drain"));
        if (performance.now() - begun > DRAINED_WITHIN_MS) throw new Error("something is left to do and does not move");
      } while (!(await isDrained()));
    },
    deaths: () => deaths,
    times: () => running.ask("count"),
    stop: async () => {
      if (running === steady) await steady.ask("stop");
      else await running.kill();
    },
  };
}

type Answer = { status: number; body: Members };
type Request = { address: string; key: string; name: string; method: Method; path: string; body: object | undefined };

/** A POST under its own key, so that it has one effect; an event has an identity by itself, and a clock goes forward once. */
async function request({ address, key, name, method, path, body }: Request, gone: Promise<unknown>): Promise<Answer> {
  const isKeyed = method === "POST" && !path.startsWith("/events") && !isAdvance(path);
  try {
    const answer = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(isKeyed ? { "idempotency-key": name } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    });
    return { status: answer.status, body: (await answer.json()) as Members };
  } catch (cause) {
    const isGone = await Promise.race([gone.then(() => true), pause(DEAD_WITHIN_MS, false)]);
    throw isGone ? new Died("no answer", { cause }) : cause;
  }
}

const isAdvance = (path: string): boolean => path.endsWith("/advance");

/**
 * What was deleted or voided before the process died cannot be so again, and a clock that was advanced goes on: who repeats takes
 * that for done.
 */
const isFine = ({ status }: Answer, { method, path }: Pick<Request, "method" | "path">, times: number): boolean =>
  status === 200 ||
  (times > 1 && (method === "DELETE" || isAdvance(path) || path.endsWith("/void")) && [404, 405, 422].includes(status));

/**
 * After a death: Postgres notices it and takes back what was not committed. What waits for the dead one is released, as it
 * is when its leases and heartbeats have run out: by the real time no round has to wait for that, and nothing else comes between.
 */
async function release(url: string, now: Temporal.Instant): Promise<void> {
  const begun = performance.now();
  const others =
    "select count(*)::integer as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
  while ((await runOn<{ count: number }>(url, others))[0]?.count !== 0) {
    if (performance.now() - begun > GONE_WITHIN_MS) throw new Error("connections of the dead process stay");
    await pause(LOOK_EVERY_MS);
  }
  await runOn(
    url,
    `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by)) from graphile_worker.jobs
     where locked_by is not null having count(*) > 0`,
  );
  // Who carries on a test clock notes by the real time when it did.
  await runOn(url, "update test_clocks set ready_at = $1 where ready_at > $1", [now.toString()]);
  // Done later, a measurement would be of a later moment, and a rule by threshold fires for what is measured.
  await runOn(url, "update wallet_refreshes set ready_at = $1 where ready_at > $1", [now.toString()]);
  await runOn(
    url,
    "update relay_lanes set leased_until = least(leased_until, clock_timestamp()), ready_at = least(ready_at, clock_timestamp())",
  );
}
