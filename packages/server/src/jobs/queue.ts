/**
 * The job library, for work that calls external systems and for long maintenance. Heartbeats are ours, because the library frees the jobs
 * of a killed worker only after hours.
 */
import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from "graphile-worker";
import { sql } from "kysely";
import type pg from "pg";
import type { Database, Tx } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { NOTHING_WAITS, type Patience, ROWS_MAX, type Waiting } from "./waiting.ts";

const HEARTBEAT_EVERY_MS = 5_000;
const SILENT_AFTER_SECONDS = 15;
/** Silence, sweep and poll together stay below 20 s, the time within which another worker takes over the work of a killed one. */
const SWEEP_EVERY_MS = 2_000;

/** Must be safe to repeat: after a kill or a long pause the same job runs again. */
export type JobHandler = (organizationId: string, payload: unknown) => Promise<void>;

/** `cron` is in UTC, with five fields. The task runs over all organizations. */
export type ScheduledJob = { name: string; cron: string; run: () => Promise<void> };

export type JobOptions = {
  jobKey?: string;
  attemptsMax?: number;
  /** The organization's jobs in a queue run one at a time, over all workers. So one with many of them does not occupy every worker. */
  queue?: string;
};

/** Enqueues a job in the caller's transaction: the job exists if and only if the transaction commits. */
export async function enqueueJob(
  tx: Tx,
  task: string,
  payload: unknown,
  { jobKey, attemptsMax = 25, queue }: JobOptions = {},
): Promise<void> {
  const json = JSON.stringify(payload);
  await sql`
    select graphile_worker.enqueue_job(${task}, ${json}::json, ${jobKey ?? null}, ${attemptsMax}::integer, ${queue ?? null})
  `.execute(tx);
}

export type Jobs = {
  jobs: Readonly<Record<string, JobHandler>>;
  scheduled: readonly ScheduledJob[];
  metrics: Metrics;
};

export type QueueOptions = Jobs & { queuePool: pg.Pool; dispatcherDb: Database; concurrency: number; log: Log };

export async function startQueue(options: QueueOptions): Promise<{ stop: () => Promise<void> }> {
  const { queuePool, dispatcherDb, scheduled, concurrency, log } = options;
  // The library locks jobs in the name of the pool, not of the single workers.
  const poolIds = new Set<string>();
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => poolIds.add(workerPool.id));
  const runner: Runner = await run({
    pgPool: queuePool,
    taskList: toTaskList(options),
    crontab: scheduled.map(({ name, cron }) => `${cron} ${name}`).join("\n"),
    concurrency,
    events,
    noHandleSignals: true,
    pollInterval: 1000,
    logger: new Logger(() => (level, message) => void (level === "error" ? log.error(message) : log.debug(message))),
  });
  await beat(dispatcherDb, [...poolIds]);
  // Sweep at once as well, so that short-lived workers do not leave each other's jobs locked.
  await freeJobsOfSilentWorkers(dispatcherDb);
  const heart = setInterval(() => {
    beat(dispatcherDb, [...poolIds]).catch((error: unknown) => log.error({ err: error }, "heartbeat failed"));
  }, HEARTBEAT_EVERY_MS);
  const sweeper = setInterval(() => {
    freeJobsOfSilentWorkers(dispatcherDb).catch((error: unknown) => log.error({ err: error }, "sweep failed"));
  }, SWEEP_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(heart);
      clearInterval(sweeper);
      await runner.stop();
      await sql`delete from worker_heartbeats where worker_id = any(${[...poolIds]})`.execute(dispatcherDb);
    },
  };
}

export function toTaskList({ jobs, scheduled, metrics }: Jobs): TaskList {
  const handlers = Object.entries(jobs).map(([name, handler]) => [
    name,
    async (envelope: unknown) => {
      const { organization_id, payload } = envelope as { organization_id: string; payload: unknown };
      await handler(organization_id, payload);
      metrics.workDone.inc({ source: "job", kind: name });
    },
  ]);
  return Object.fromEntries([...handlers, ...scheduled.map(({ name, run }) => [name, () => run()])]);
}

async function beat(dispatcherDb: Database, workerIds: string[]): Promise<void> {
  await sql`
    insert into worker_heartbeats (worker_id, seen_at) select id, now() from unnest(${workerIds}::text[]) as id
    on conflict (worker_id) do update set seen_at = excluded.seen_at`.execute(dispatcherDb);
}

/** Writes a row of its own and changes nothing else, to learn whether the database can write. */
export const tryToWrite = (dispatcherDb: Database): Promise<void> => beat(dispatcherDb, ["ready"]);

async function freeJobsOfSilentWorkers(dispatcherDb: Database): Promise<void> {
  const silence = sql`make_interval(secs => ${SILENT_AFTER_SECONDS})`;
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct jobs.locked_by))
    from graphile_worker.jobs as jobs left join worker_heartbeats as heart on heart.worker_id = jobs.locked_by
    where jobs.locked_by is not null and coalesce(heart.seen_at, jobs.locked_at) < now() - ${silence}
    having count(*) > 0`.execute(dispatcherDb);
  await sql`delete from worker_heartbeats where seen_at < now() - interval '1 day'`.execute(dispatcherDb);
}

/** Over all organizations, for the dispatcher: jobs that no worker starts, or that fail. Jobs without attempts left stay in the table. */
export async function countWaitingJobs(dispatcherDb: Database, { since, attempts }: Patience): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(created_at) as "oldestAt"
    from (select run_at, created_at, attempts, locked_at from graphile_worker.jobs limit ${ROWS_MAX}::integer) as job
    where attempts >= ${attempts}::integer or (run_at < ${since}::timestamptz and locked_at is null)`.execute(
    dispatcherDb,
  );
  return rows[0] ?? NOTHING_WAITS;
}
