/** Due rows, outbox and jobs: nothing is lost or doubled, and what a killed worker held is taken over. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Campaign, Outcome } from "../../campaign.ts";
import { type KillsOptions, runKills, type Site, type Subject, type Work } from "../harness.ts";
import { startReceiver } from "../receiver.ts";
import type { Records } from "../records.ts";
import { addCustomers, keepAddingWork } from "./add-work.ts";
import { check, countOpenWork } from "./check.ts";
import { JOB, KINDS } from "./work.ts";

/** No worker takes over from a naive one: no need to wait. */
const NAIVE_STUCK_AFTER_MS = 3_000;
/** "Work of a killed worker is taken over within": the promise that is put to the test. */
const TAKEN_OVER_WITHIN_SECONDS = 20;
/** Between receiving and acknowledging, where a kill leaves the sender in doubt. */
const ANSWER_AFTER_MS = 80;

export const workerKills: Campaign = {
  summary: "SIGKILLs of workers that drain due rows, outbox and jobs: nothing lost, nothing twice, taken over in 20 s",
  counts: "kills",
  countByDefault: 200,
  run: (options) => runWorkerKills(options),
};

type Options = KillsOptions & { takenOverWithinSeconds?: number };

export const runWorkerKills = ({
  takenOverWithinSeconds = TAKEN_OVER_WITHIN_SECONDS,
  ...options
}: Options): Promise<Outcome> => runKills(subjectWith(takenOverWithinSeconds), options);

const subjectWith = (takenOverWithinSeconds: number): Subject => ({
  schema: async (isNaive) =>
    (await readFile(join(import.meta.dirname, "schema.sql"), "utf8")) + (isNaive ? NAIVE_SCHEMA : ""),
  additions: {
    dueKinds: KINDS.map((kind) => ({ ...kind, run: () => Promise.reject(new Error("only workers run due rows")) })),
  },
  open: (site) => open(site, takenOverWithinSeconds),
});

/** A mark on due rows, and the right to finish rows outside of an organization. */
const NAIVE_SCHEMA = `
  alter table due_instants add column if not exists taken boolean not null default false;
  grant update (taken, done_at) on due_instants to tallystick_dispatcher;
  grant update (dispatched_at) on outbox to tallystick_dispatcher;`;

async function open(site: Site, takenOverWithinSeconds: number): Promise<Work> {
  const { records, onStop, options } = site;
  await addCustomers(site);
  await forgetWhatWasOpen(records);
  const receiver = await startReceiver(async (request) => {
    const { id } = (await json(request)) as { id: string };
    await records.query("insert into prove.received (message_id) values ($1)", [id]);
    await pause(ANSWER_AFTER_MS);
    return 200;
  });
  onStop.push(receiver.stop);
  return {
    program: options.isNaive ? "naiveWorker" : "workerWithWork",
    task: { receiverUrl: receiver.url, settings: { WORKER_CONCURRENCY: "4" } },
    beside: [({ enough }) => keepAddingWork(site, enough)],
    onKilled: ({ worker }) =>
      records.query(
        `insert into prove.locked (killed, message_id, locked_by)
         select $1, split_part(key, ':', 2)::uuid, locked_by from graphile_worker.jobs
         where task_identifier = $2 and locked_by is not null`,
        [worker, JOB],
      ),
    look: () => countOpenWork(records),
    ...(options.isNaive ? { stuckAfterMs: NAIVE_STUCK_AFTER_MS } : {}),
    check: () => check(records, takenOverWithinSeconds),
  };
}

/** The time between two runs is no time to take over: attempts on what was open then are not measured. */
async function forgetWhatWasOpen(records: Records): Promise<void> {
  const open = `select id from due_instants where done_at is null
    union all select id from outbox where dispatched_at is null
    union all select split_part(key, ':', 2)::uuid from graphile_worker.jobs where key is not null`;
  await records.query(`delete from prove.attempts where item_id in (${open})`);
  await records.query(`delete from prove.locked where message_id in (${open})`);
}
