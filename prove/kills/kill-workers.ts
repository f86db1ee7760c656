/** Kills workers at random moments, or freezes them before that, while others go on. */
import { setTimeout as pause } from "node:timers/promises";
import { allOrNone } from "../all-or-none.ts";
import type { CampaignOptions } from "../campaign.ts";
import { countRow } from "../invoice-checks.ts";
import { createRandomFor } from "../random.ts";
import type { Member } from "./crew.ts";
import type { Records } from "./records.ts";

/** At least so many work at any moment: whatever a killed one held, another can take over at once. */
const WORKERS_AT_LEAST = 2;
/** A frozen worker takes its time, and is in no other's way but for what it holds. */
const WORKERS_AT_LEAST_BESIDE_FROZEN = 6;
const IN_TRANSACTION_WITHIN_MS = 3000;
/** So long a thawed one goes on with what it believes to be its own. */
const THAWED_MS = 1500;
const SAY_EVERY_KILLS = 10;
const CONNECTIONS_GONE_WITHIN_MS = 120_000;

export type Kill = {
  worker: number;
  wasStarting: boolean;
  killedAt: Temporal.Instant;
  goneMs: number;
  /** Transactions that had written something, a moment before the kill. */
  openTransactions: number;
};

export type KillOptions = Pick<CampaignOptions, "count" | "signal" | "say"> & {
  records: Records;
  /** `name`: of its connections, so that the server tells when they are gone. */
  start: (worker: number, name: string) => Member;
  seed: number;
  killsDone: number;
  /** Longer than what a worker holds is kept for it: frozen for so long, thawed, and killed when it has gone on for a moment. */
  freezeSeconds: number | undefined;
  /** Writes it down; from then on nothing of the worker is open. */
  onKilled: (kill: Kill) => Promise<unknown>;
};

/** Resolves when all kills are done; the last workers live on. */
export async function killWorkers(options: KillOptions): Promise<void> {
  const { seed, killsDone, count, signal, say } = options;
  let planned = killsDone;
  let done = killsDone;
  const keepPlace = async (stop: AbortSignal): Promise<void> => {
    let current = await startWorker(options);
    await current.isReady;
    while (planned < count) {
      planned++;
      stop.throwIfAborted();
      const next = await startWorker(options);
      const moment = chooseMoment(seed, next.number);
      if (!moment.isWhileStarting) await next.isReady;
      await pause(moment.delayMs, undefined, { signal: stop });
      await killOne(options, moment.isWhileStarting ? next : current, moment.isWhileStarting);
      if (!moment.isWhileStarting) current = next;
      done++;
      if (done % SAY_EVERY_KILLS === 0) say(`${done} of ${count} kills`);
    }
  };
  const places = options.freezeSeconds === undefined ? WORKERS_AT_LEAST : WORKERS_AT_LEAST_BESIDE_FROZEN;
  await allOrNone(signal, Array<typeof keepPlace>(Math.min(places, count)).fill(keepPlace));
}

type Worker = Member & { number: number; name: string };

async function startWorker({ records, start }: KillOptions): Promise<Worker> {
  const { number = 0 } = await countRow(records, "select nextval('prove.worker_numbers') as number");
  const name = `prove_worker_${number}`;
  return { ...start(number, name), number, name };
}

/** Mostly 0.2 to 1.5 s after its successor began to work; one in ten while it starts itself. */
function chooseMoment(seed: number, worker: number): { isWhileStarting: boolean; delayMs: number } {
  const random = createRandomFor(seed, worker);
  const isWhileStarting = random() < 0.1;
  const [from, to] = isWhileStarting ? [50, 900] : [200, 1500];
  return { isWhileStarting, delayMs: Math.round(from + random() * (to - from)) };
}

async function killOne(options: KillOptions, worker: Worker, wasStarting: boolean): Promise<void> {
  const { records, onKilled, freezeSeconds, signal } = options;
  let openTransactions = await countOpenTransactions(records, worker);
  if (freezeSeconds !== undefined) {
    // Half of them in the middle of a transaction, the others wherever they are: they may hold a lease.
    const until = performance.now() + (worker.number % 2) * IN_TRANSACTION_WITHIN_MS;
    while (openTransactions === 0 && performance.now() < until)
      openTransactions = await countOpenTransactions(records, worker);
    worker.child.kill("SIGSTOP");
    await pause(freezeSeconds * 1000, undefined, { signal });
    worker.child.kill("SIGCONT");
    await pause(THAWED_MS, undefined, { signal });
  }
  const begun = performance.now();
  const killedAt = await worker.kill();
  await waitForConnectionsGone(records, worker);
  await onKilled({
    ...{ worker: worker.number, wasStarting, killedAt, openTransactions },
    goneMs: performance.now() - begun,
  });
}

async function countOpenTransactions(records: Records, { name }: Worker): Promise<number> {
  const { count = 0 } = await countRow(
    records,
    `select count(*) as count from pg_locks join pg_stat_activity using (pid)
     where application_name = $1 and locktype = 'transactionid' and mode = 'ExclusiveLock' and granted`,
    [name],
  );
  return count;
}

/** From then on the server has rolled back what the worker had open, and has freed its row locks. */
async function waitForConnectionsGone(records: Records, { number, name }: Worker): Promise<void> {
  const begun = performance.now();
  const connections = "select count(*) as count from pg_stat_activity where application_name = $1";
  while ((await countRow(records, connections, [name])).count !== 0) {
    if (performance.now() - begun > CONNECTIONS_GONE_WITHIN_MS)
      throw new Error(`the connections of worker ${number} outlive it`);
    await pause(5);
  }
}
