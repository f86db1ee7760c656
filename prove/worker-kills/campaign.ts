/** Kills a worker again and again while it drains due rows, outbox and jobs, then checks that nothing is lost or doubled. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { createOrganization } from "../../packages/server/src/modules/accounts/index.ts";
import { allOrNone } from "../all-or-none.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { chooseSeed, demandSameSeed } from "../progress.ts";
import { addCustomers, keepAddingWork } from "./add-work.ts";
import { check, countOpenWork } from "./check.ts";
import { type Crew, createCrew } from "./crew.ts";
import { killWorkers, recordKill } from "./kill-workers.ts";
import { withCluster } from "./open-campaign.ts";
import { startReceiver } from "./receiver.ts";
import { KINDS, openRecords, type Records } from "./work.ts";

/** When nothing moves for so long, what is open stays open. Nobody takes over from a naive worker: no need to wait. */
const STUCK_AFTER_MS = 120_000;
const NAIVE_STUCK_AFTER_MS = 3_000;
const LOOK_EVERY_MS = 100;
/** "Work of a killed worker is taken over within": the promise that is put to the test. */
const TAKEN_OVER_WITHIN_SECONDS = 20;

export const workerKills: Campaign = {
  summary: "SIGKILLs of workers that drain due rows, outbox and jobs: nothing lost, nothing twice, taken over in 20 s",
  counts: "kills",
  countByDefault: 200,
  run: runWorkerKills,
};

type Options = CampaignOptions & { takenOverWithinSeconds?: number };

export function runWorkerKills(options: Options): Promise<Outcome> {
  const schemas = options.isNaive ? ["schema.sql", "naive-schema.sql"] : ["schema.sql"];
  return withCluster(options, { folder: import.meta.dirname, schemas }, (url) => runOnCluster(url, options));
}

async function runOnCluster(url: string, options: Options): Promise<Outcome> {
  const begun = performance.now();
  const records = openRecords(url);
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "error" }), {
    dueKinds: KINDS.map((kind) => ({ ...kind, run: () => Promise.reject(new Error("only workers run due rows")) })),
  });
  const receiver = await startReceiver(records);
  const file = join(import.meta.dirname, options.isNaive ? "naive-worker.ts" : "worker.ts");
  const crew = await createCrew({ url, file, task: { receiverUrl: receiver.url }, records });
  try {
    const state = await openCampaign(platform, records, options.seed);
    options.say(`seed ${state.seed}, ${state.killsDone} kills done before`);
    try {
      await killWhileWorking({ platform, records, crew }, state, options);
      await drain(records, crew, options);
    } finally {
      await crew.endAll();
      const seconds = (performance.now() - begun) / 1000;
      await records.query("update prove.campaign set seconds = seconds + $1", [seconds]);
    }
    return await report(records, state, options);
  } finally {
    await receiver.stop();
    await platform.close();
    await records.end();
  }
}

type State = { organizationId: string; seed: number; killsDone: number };
type Stage = { platform: Platform; records: Records; crew: Crew };

/** The state of the campaign that was stopped here, or of a new one. */
async function openCampaign(platform: Platform, records: Records, seed: number | undefined): Promise<State> {
  const { rows } = await records.query(
    `select organization_id as "organizationId", seed, (select count(*) from prove.kills)::integer as "killsDone"
     from prove.campaign`,
  );
  const [stopped] = rows as State[];
  if (stopped) {
    demandSameSeed(seed, stopped.seed);
    await forgetWhatWasOpen(records);
    return stopped;
  }
  const organizationId = await createOrganization(platform.db, platform.clock, { name: "Prove", isSandbox: false });
  await addCustomers(platform, organizationId);
  const chosen = chooseSeed(seed);
  await records.query("insert into prove.campaign (organization_id, seed) values ($1, $2)", [organizationId, chosen]);
  return { organizationId, seed: chosen, killsDone: 0 };
}

/** The time between two runs is no time to take over: attempts on what was open then are not measured. */
async function forgetWhatWasOpen(records: Records): Promise<void> {
  const open = `select id from due_instants where done_at is null
    union all select id from outbox where dispatched_at is null
    union all select split_part(key, ':', 2)::uuid from graphile_worker.jobs where key is not null`;
  await records.query(`delete from prove.attempts where item_id in (${open})`);
  await records.query(`delete from prove.held where message_id in (${open})`);
}

async function killWhileWorking(stage: Stage, state: State, options: CampaignOptions): Promise<void> {
  const enough = new AbortController();
  await allOrNone(options.signal, [
    (stop) => keepAddingWork({ ...stage, ...state }, AbortSignal.any([stop, enough.signal])),
    (stop) =>
      killWorkers({
        ...stage,
        ...state,
        kills: options.count,
        say: options.say,
        signal: stop,
        onKilled: (kill) => recordKill(stage.records, kill),
      }).then(() => enough.abort()),
  ]);
}

/** Until nothing is open, or what is open does not move any more. */
async function drain(records: Records, crew: Crew, { isNaive, signal, say }: CampaignOptions): Promise<void> {
  const stuckAfterMs = isNaive ? NAIVE_STUCK_AFTER_MS : STUCK_AFTER_MS;
  let last = "";
  let movedAt = performance.now();
  say("the last kill is done: draining");
  for (;;) {
    const open = await countOpenWork(records);
    if (open.due + open.messages + open.jobs === 0) return;
    if (JSON.stringify(open) !== last) movedAt = performance.now();
    else if (performance.now() - movedAt > stuckAfterMs) return say(`stuck: ${last}`);
    last = JSON.stringify(open);
    crew.assertAlive();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function report(
  records: Records,
  { seed }: State,
  { takenOverWithinSeconds = TAKEN_OVER_WITHIN_SECONDS }: Options,
): Promise<Outcome> {
  const { broken, figures } = await check(records, takenOverWithinSeconds);
  const { rows } = await records.query(
    "select seconds, current_setting('server_version') as postgres from prove.campaign",
  );
  const round = (value: number): number => Math.round(value * 100) / 100;
  return {
    seed,
    seconds: round(rows[0].seconds),
    postgres: rows[0].postgres,
    broken,
    figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, round(value)])),
  };
}
