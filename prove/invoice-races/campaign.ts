/** Everything that may happen at once when invoices are made: late events, many finalizers, two billing jobs. */
import { composeWorker } from "../../packages/server/src/main/compose-work.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { checkInvoicesOfCalls, openVerifier } from "../invoice-checks.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { countUnclean, type Service, withService } from "../served-api.ts";
import { eventsSent, makeRaceWorld, type RaceWorld, raceEvents } from "./event-races.ts";
import { type DraftWorld, FINALIZERS, type Finalized, finalizeAll, makeDraftWorld } from "./finalizers.ts";
import { spoilCut, spoilNumbers } from "./naive.ts";
import { billTwice, compareTwins, makeTwinWorld, type TwinWorld } from "./twin-workers.ts";

/** Of 2,000 races: 1,000 drafts and 500 periods that are billed by two. */
const DRAFTS_PER_RACE = 1 / 2;
const PERIODS_PER_RACE = 1 / 4;
const SAY_EVERY_RACES = 100;

export const invoiceRaces: Campaign = {
  summary: "events while their period is billed, 64 finalizers at once, billing started twice: each once, no gap",
  counts: "races",
  countByDefault: 2000,
  run: runInvoiceRaces,
};

export type RaceOptions = CampaignOptions & { drafts?: number; periods?: number };

type State = {
  races: RaceWorld | null;
  racesDone: number;
  drafts: DraftWorld | null;
  finalized: Finalized;
  twins: TwinWorld | null;
};
type Stage = { service: Service; progress: ProgressKeeper<State>; options: RaceOptions };

export async function runInvoiceRaces(options: RaceOptions): Promise<Outcome> {
  const nothing = { finalized: 0, refused: 0, unavailable: 0, failed: 0, cuts: 0 };
  const progress = await openProgress<State>(options, {
    races: null,
    racesDone: 0,
    drafts: null,
    finalized: nothing,
    twins: null,
  });
  const { dataFolder, isNaive } = options;
  const connections = FINALIZERS + 6;
  try {
    return await withService(
      { dataFolder, connections, isSilent: true, ...(isNaive ? { spoil: spoilCut } : {}) },
      (service) => runOnService({ service, progress, options }),
    );
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

async function runOnService(stage: Stage): Promise<Outcome> {
  const { service, progress, options } = stage;
  const { state, keep } = progress;
  options.say(`seed ${state.seed}, ${state.racesDone} races done before`);
  await raceOnTestClocks(stage);
  const twins = await bill(stage);
  const { broken, figures } = await checkInvoicesOfCalls(service.url);
  const eventsLost = eventsSent(state.racesDone) - (await countStored(service.url));
  await keep();
  const { failed: finalizersFailed, ...finalized } = state.finalized;
  return {
    seed: state.seed,
    seconds: state.seconds,
    broken: {
      ...broken,
      ...twins.broken,
      finalizersFailed,
      eventsLost,
      unclean: await countUnclean(service.url, options.say),
    },
    figures: { races: state.racesDone, ...figures, ...finalized, periodsOfTwoJobs: twins.ended },
  };
}

/** With a worker, which carries on an advance that was interrupted. It is gone before two others have the same to do. */
async function raceOnTestClocks(stage: Stage): Promise<void> {
  if (stage.progress.state.twins) return;
  const worker = await composeWorker(stage.service.platform);
  try {
    await race(stage);
    await finalize(stage);
  } finally {
    await worker.stop();
  }
}

async function race({ service, progress: { state, keep }, options }: Stage): Promise<void> {
  const { count, signal, say } = options;
  state.races ??= await makeRaceWorld(service);
  await keep();
  const lanes = state.races.testClockIds.length;
  await raceEvents(service, state.races, {
    seed: state.seed,
    done: state.racesDone,
    count,
    signal,
    onDone: async () => {
      state.racesDone += lanes;
      await keep();
      if (state.racesDone % SAY_EVERY_RACES < lanes) say(`${state.racesDone} of ${count} races`);
    },
  });
}

async function finalize({ service, progress: { state, keep }, options }: Stage): Promise<void> {
  const { count, isNaive, signal, say, drafts = Math.ceil(count * DRAFTS_PER_RACE) } = options;
  if (state.drafts === null && isNaive) await spoilNumbers(service.url);
  state.drafts ??= await makeDraftWorld(service, drafts);
  await keep();
  say(`${FINALIZERS} finalizers on ${drafts} drafts`);
  const done = await finalizeAll(service, state.drafts, { seed: state.seed, signal });
  const before = state.finalized;
  for (const name of Object.keys(done) as (keyof Finalized)[]) done[name] += before[name];
  state.finalized = done;
  await keep();
}

async function bill({ service, progress: { state, keep }, options }: Stage) {
  const { count, signal, say, periods = Math.ceil(count * PERIODS_PER_RACE) } = options;
  state.twins ??= await makeTwinWorld(service.url, periods);
  await keep();
  say(`two billing jobs on ${periods} periods`);
  const workFailed = await billTwice(service.url, signal);
  const { periods: ended, broken } = await compareTwins(service.url, state.twins);
  return { ended, broken: { ...broken, workFailed } };
}

async function countStored(url: string): Promise<number> {
  const records = openVerifier(url);
  try {
    const { rows } = await records.query<{ count: number }>(
      "select count(*)::integer as count from events where external_subscription_id like 'racer %'",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await records.end();
  }
}
