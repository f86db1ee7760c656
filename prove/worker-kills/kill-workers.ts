/** Kills workers at random moments, and writes down what each of them held. */
import { setTimeout as pause } from "node:timers/promises";
import { allOrNone } from "../all-or-none.ts";
import { createRandomFor } from "../random.ts";
import type { Crew, WorkerProcess } from "./crew.ts";
import { JOB, type Records } from "./work.ts";

/** At least so many work at any moment: whatever a killed one held, another can take over at once. */
const WORKERS_AT_LEAST = 2;
/** Who is frozen takes its time, and is in nobody's way but for what it holds. */
const WORKERS_AT_LEAST_BESIDE_FROZEN = 6;
const IN_TRANSACTION_WITHIN_MS = 3000;
/** So long a thawed one goes on with what it believes to be its own. */
const THAWED_MS = 1500;
const SAY_EVERY_KILLS = 10;
const CONNECTIONS_GONE_WITHIN_MS = 120_000;

export type KillOptions = {
  crew: Crew;
  records: Records;
  seed: number;
  killsDone: number;
  kills: number;
  signal: AbortSignal;
  say: (line: string) => void;
  /** Longer than what a worker holds is kept for it. It is frozen for so long, thawed, and killed when it has gone on for a moment. */
  freezeSeconds?: number | undefined;
  /** Writes it down; from then on nothing of the worker is open. */
  onKilled: (kill: Kill) => Promise<unknown>;
};

/** Resolves when all kills are done; the last workers live on. */
export async function killWorkers(options: KillOptions): Promise<void> {
  const { crew, seed, killsDone, kills, signal, say } = options;
  let planned = killsDone;
  let done = killsDone;
  const keepPlace = async (stop: AbortSignal): Promise<void> => {
    let current = await crew.start();
    await current.isReady;
    while (planned < kills) {
      planned++;
      stop.throwIfAborted();
      const next = await crew.start();
      const moment = chooseMoment(seed, next.number);
      if (!moment.isWhileStarting) await next.isReady;
      await pause(moment.delayMs, undefined, { signal: stop });
      await killOne(options, moment.isWhileStarting ? next : current, moment);
      if (!moment.isWhileStarting) current = next;
      done++;
      if (done % SAY_EVERY_KILLS === 0) say(`${done} of ${kills} kills`);
    }
  };
  const places = options.freezeSeconds === undefined ? WORKERS_AT_LEAST : WORKERS_AT_LEAST_BESIDE_FROZEN;
  await allOrNone(signal, Array<typeof keepPlace>(Math.min(places, kills)).fill(keepPlace));
}

type Moment = { isWhileStarting: boolean; delayMs: number };

/** Mostly 0.2 to 1.5 s after its successor began to work; one in ten while it starts itself. */
function chooseMoment(seed: number, worker: number): Moment {
  const random = createRandomFor(seed, worker);
  const isWhileStarting = random() < 0.1;
  const [from, to] = isWhileStarting ? [50, 900] : [200, 1500];
  return { isWhileStarting, delayMs: Math.round(from + random() * (to - from)) };
}

async function killOne(options: KillOptions, worker: WorkerProcess, moment: Moment): Promise<void> {
  const { records, onKilled, freezeSeconds, signal } = options;
  let openTransactions = await countOpenTransactions(records, worker);
  if (freezeSeconds !== undefined) {
    // Half of them in the middle of a transaction, the others wherever they are: they may hold a lease.
    const until = performance.now() + (worker.number % 2) * IN_TRANSACTION_WITHIN_MS;
    while (openTransactions === 0 && performance.now() < until)
      openTransactions = await countOpenTransactions(records, worker);
    worker.freeze();
    await pause(freezeSeconds * 1000, undefined, { signal });
    worker.thaw();
    await pause(THAWED_MS, undefined, { signal });
  }
  const begun = performance.now();
  const killedAt = await worker.kill();
  await waitForConnectionsGone(records, worker);
  await onKilled({ worker, moment, killedAt, goneMs: performance.now() - begun, openTransactions });
}

/** Those that have written something, a moment before the kill: it strikes in the middle of them, or of the next. */
async function countOpenTransactions(records: Records, { connectionName }: WorkerProcess): Promise<number> {
  const { rows } = await records.query(
    `select count(*)::integer as count from pg_locks join pg_stat_activity using (pid)
     where application_name = $1 and locktype = 'transactionid' and mode = 'ExclusiveLock' and granted`,
    [connectionName],
  );
  return rows[0].count;
}

/** From then on the server has rolled back what the worker had open, and has freed its row locks. */
async function waitForConnectionsGone(records: Records, { number, connectionName }: WorkerProcess): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const { rows } = await records.query(
      "select count(*)::integer as count from pg_stat_activity where application_name = $1",
      [connectionName],
    );
    if (rows[0].count === 0) return;
    if (performance.now() - begun > CONNECTIONS_GONE_WITHIN_MS)
      throw new Error(`the connections of worker ${number} outlive it`);
    await pause(5);
  }
}

export type Kill = {
  worker: WorkerProcess;
  moment: Moment;
  killedAt: Temporal.Instant;
  goneMs: number;
  openTransactions: number;
};

/** With the jobs that were locked then. */
export const recordKill = (records: Records, { worker, moment, killedAt, goneMs }: Kill) =>
  records.query(
    `with kill as (
       insert into prove.kills (worker, was_starting, delay_ms, killed_at, connections_gone_ms)
       values ($1, $2, $3, $4, $5) returning number
     )
     insert into prove.held (kill, message_id, locked_by)
     select kill.number, split_part(jobs.key, ':', 2)::uuid, jobs.locked_by from kill, graphile_worker.jobs
     where jobs.task_identifier = $6 and jobs.locked_by is not null`,
    [worker.number, moment.isWhileStarting, moment.delayMs, killedAt.toString(), goneMs, JOB],
  );
